/** How many requests a minute somebody may make: a bucket that fills up evenly, kept as one number for each. */

import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;

/** Callers that are kept in mind. Whoever is forgotten begins anew, with a full bucket. */
const MAX_CALLERS = 100_000;

export interface RateStanding {
  readonly isAllowed: boolean;
  readonly limit: number;
  /** Requests that are left at this moment. */
  readonly remaining: number;
  /** Milliseconds until as many are left as there ever are. */
  readonly resetMs: number;
  /** Milliseconds until the next one is allowed; 0 where it is now. */
  readonly retryAfterMs: number;
}

/**
 * By the generic cell rate algorithm: of each caller it is known when their bucket is full again, and no more. A minute's worth
 * can be had at once, and comes back evenly: there is no beginning of a window at which everybody comes back together.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #cost: number;
  readonly #now: () => number;
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_CALLERS });

  /** `perMinute` is more than 0. `now` counts milliseconds from anywhere. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#limit = perMinute;
    this.#cost = WINDOW_MS / perMinute;
    this.#now = now;
  }

  /** Takes one where one is left. */
  take(caller: string): RateStanding {
    return this.#standing(caller, true);
  }

  /** How it stands, with nothing taken. */
  look(caller: string): RateStanding {
    return this.#standing(caller, false);
  }

  #standing(caller: string, isTaking: boolean): RateStanding {
    const now = this.#now();
    const missing = Math.max(0, (this.#fullAt.get(caller) ?? 0) - now);
    // What was added up in fractions comes out a hair too large.
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
