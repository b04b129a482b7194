/** A clock that stands still until it is told otherwise. */

import type { Clock } from '../ports/clock.ts';

const SOME_MORNING = Date.parse('2026-03-04T08:00:00.000Z');

export class ManualClock implements Clock {
  #now: number;

  constructor(now: number = SOME_MORNING) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  /** Sleeping is what makes time pass here; it takes a turn of the event loop. */
  async sleep(ms: number): Promise<void> {
    this.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
