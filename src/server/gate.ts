/** What every request to memory passes: how often who may ask, and how much is under way at once. */

import type { FastifyInstance } from 'fastify';
import type { Principal } from '../domain/principal.ts';
import { Admission, type Place } from './admission.ts';
import { Deadlines } from './deadlines.ts';
import { Pressure } from './pressure.ts';
import { RateLimits } from './rate-limits.ts';
import type { ServiceLimits } from './service-limits.ts';
import { StreamPlaces } from './stream-places.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the service is: asked by whoever watches it, also while everybody else is turned away. */
    isVital?: boolean;
  }
}

export class Gate {
  readonly rates: RateLimits;
  readonly pressure: Pressure;
  readonly streams: StreamPlaces;
  readonly #admission: Admission;
  readonly #deadlines: Deadlines;

  constructor(limits: ServiceLimits) {
    this.rates = new RateLimits(limits);
    this.pressure = new Pressure(limits);
    this.streams = new StreamPlaces(limits.streams);
    this.#admission = new Admission(limits);
    this.#deadlines = new Deadlines(limits.answerMs);
  }

  /**
   * Does the work when it is its tenant's turn. Rejects with `UNAVAILABLE` when that does not come, or the work takes too long: it is not
   * stopped then, and keeps its place until it ends.
   */
  async pass<T>({ tenantId }: Principal, work: () => Promise<T>): Promise<T> {
    return this.#run(await this.#admission.admit(tenantId), work);
  }

  /** By hand and not with `await`: this is around every request. */
  #run<T>(place: Place, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.#deadlines.open(reject);
      const left = (): void => {
        this.#admission.leave(place);
        this.#deadlines.close(deadline);
      };
      const failed = (error: unknown): void => {
        left();
        reject(error);
      };
      try {
        work().then((value) => {
          left();
          return resolve(value);
        }, failed);
      } catch (thrown) {
        failed(thrown);
      }
    });
  }
}

/** Watches how busy the process is, from when it serves until it is closed. */
export function watchPressure(app: FastifyInstance, { pressure }: Gate): void {
  app.addHook('onReady', async () => pressure.start());
  app.addHook('onClose', async () => pressure.stop());
}
