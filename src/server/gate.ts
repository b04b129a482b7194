/** What every request to memory passes: how often who may ask, and how much is under way at once. */

import type { FastifyInstance } from 'fastify';
import { inTime } from '../domain/in-time.ts';
import type { Principal } from '../domain/principal.ts';
import { Admission, type Place } from './admission.ts';
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
  readonly #answerMs: number;

  constructor(limits: ServiceLimits) {
    this.rates = new RateLimits(limits);
    this.pressure = new Pressure(limits);
    this.streams = new StreamPlaces(limits.streams);
    this.#admission = new Admission(limits);
    this.#answerMs = limits.answerMs;
  }

  /**
   * Does the work when it is its tenant's turn. Throws `UNAVAILABLE` when that does not come, or the work takes too long: it is not
   * stopped then, and keeps its place until it ends.
   */
  async pass<T>({ tenantId }: Principal, work: () => Promise<T>): Promise<T> {
    const done = this.#leaving(await this.#admission.admit(tenantId), work);
    return this.#answerMs > 0 ? inTime(done, this.#answerMs) : done;
  }

  async #leaving<T>(place: Place, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#admission.leave(place);
    }
  }
}

/** Call after the headers of every answer are set, and before routes are added. */
export function guardRequests(app: FastifyInstance, gate: Gate): void {
  app.addHook('onReady', async () => gate.pressure.start());
  app.addHook('onClose', async () => gate.pressure.stop());
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isVital !== true) {
      gate.pressure.assertBearable();
      gate.rates.countAddress(request, reply);
    }
    done();
  });
}
