/** What every request to memory passes: rate limits and concurrency limits. */

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
    /** Health routes: served to monitoring even while other requests are refused. */
    isVital?: boolean;
  }
}

/** Work on its way through the gate. */
interface Passing<T> {
  readonly work: () => Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
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
   * Does the work when its tenant has a slot. Rejects with `UNAVAILABLE` if it gets none, or if the work takes too long:
   * the work is not stopped then, and keeps its slot until it ends.
   */
  pass<T>({ tenantId }: Principal, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // By a promise and not by a callback, so that the work stays within the trace of its request.
      void this.#admission.admit(tenantId).then((place) => this.#run(place, { work, resolve, reject }), reject);
    });
  }

  /** By hand and not with `await`: this is around every request. */
  #run<T>(place: Place, { work, resolve, reject }: Passing<T>): void {
    const deadline = this.#deadlines.open(reject, place.since);
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
  }
}

/** Monitors how busy the process is, while it serves. */
export function watchPressure(app: FastifyInstance, { pressure }: Gate): void {
  app.addHook('onReady', async () => pressure.start());
  app.addHook('onClose', async () => pressure.stop());
}
