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

/** Work on its way through the gate, and what becomes of it: one of the two is called, once. Neither may throw. */
export interface Passing<T> {
  readonly work: () => Promise<T>;
  readonly answer: (value: T) => void;
  readonly failed: (error: unknown) => void;
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
    return new Promise((answer, failed) => {
      // By a promise and not by a callback, so that the work stays within the trace of its request.
      void this.#admission.admit(tenantId).then((place) => this.#run(place, { work, answer, failed }), failed);
    });
  }

  /** The same without promises around the work, which is begun outside of any trace. */
  queue<T>({ tenantId }: Principal, passing: Passing<T>): void {
    this.#admission.queue(tenantId, { begin: (place) => this.#run(place, passing), refuse: passing.failed });
  }

  /** By hand and not with `await`: this is around every request. */
  #run<T>(place: Place, { work, answer, failed }: Passing<T>): void {
    const deadline = this.#deadlines.open(failed, place.since);
    const isInTime = (): boolean => {
      this.#admission.leave(place);
      return this.#deadlines.close(deadline);
    };
    const broken = (error: unknown): void => {
      if (isInTime()) failed(error);
    };
    try {
      work().then((value) => (isInTime() ? answer(value) : undefined), broken);
    } catch (thrown) {
      broken(thrown);
    }
  }
}

/** Monitors how busy the process is, while it serves. */
export function watchPressure(app: FastifyInstance, { pressure }: Gate): void {
  app.addHook('onReady', async () => pressure.start());
  app.addHook('onClose', async () => pressure.stop());
}
