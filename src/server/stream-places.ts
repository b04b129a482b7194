/** How many streams each principal has open: each holds a connection for as long as the client likes. */

import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { callerKey } from './rate-limits.ts';

export class StreamPlaces {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a slot, and returns a function that releases it. Throws `RATE_LIMITED` if all are taken. */
  take(principal: Principal): () => void {
    const caller = callerKey(principal);
    const open = this.#open.get(caller) ?? 0;
    if (open >= this.#max) {
      throw new LaminaError('RATE_LIMITED', `You have ${open} streams open, which is the most. Close one first.`, {
        details: { limit: this.#max },
      });
    }
    this.#open.set(caller, open + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (this.#open.get(caller) ?? 1) - 1;
      if (left > 0) this.#open.set(caller, left);
      else this.#open.delete(caller);
    };
  }
}
