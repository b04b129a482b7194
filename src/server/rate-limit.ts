/** Requests per minute of a caller: a bucket that refills evenly, stored as one number per caller. */

import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;

/** How many callers are remembered. An evicted caller starts again with a full bucket. */
const MAX_CALLERS = 100_000;

export interface RateStanding {
  readonly isAllowed: boolean;
  readonly limit: number;
  /** Requests that are left at this moment. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full. */
  readonly resetMs: number;
  /** Milliseconds until the next one is allowed; 0 if it is allowed now. */
  readonly retryAfterMs: number;
}

/**
 * The generic cell rate algorithm: it stores only when each caller's bucket is full again. A minute's worth can be used at
 * once and refills evenly: there is no window start at which all callers return together.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #cost: number;
  readonly #now: () => number;
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_CALLERS });

  /** `perMinute` is more than 0. `now` is milliseconds from any origin. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#limit = perMinute;
    this.#cost = WINDOW_MS / perMinute;
    this.#now = now;
  }

  /** Takes one if one is left. */
  take(caller: string): RateStanding {
    return this.#standing(caller, true);
  }

  /** The current state, without taking one. */
  look(caller: string): RateStanding {
    return this.#standing(caller, false);
  }

  #standing(caller: string, isTaking: boolean): RateStanding {
    const now = this.#now();
    const missing = Math.max(0, (this.#fullAt.get(caller) ?? 0) - now);
    // Adding fractions can give a result slightly too large.
    const wait = missing + this.#cost - WINDOW_MS;
    const isAllowed = wait <= 1e-6;
    const after = isAllowed && isTaking ? missing + this.#cost : missing;
    if (after !== missing) this.#fullAt.set(caller, now + after);
    return {
      isAllowed,
      limit: this.#limit,
      remaining: Math.max(0, Math.floor((WINDOW_MS - after) / this.#cost + 1e-6)),
      resetMs: after,
      retryAfterMs: isAllowed ? 0 : wait,
    };
  }
}
