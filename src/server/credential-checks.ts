/**
 * Credentials that are being checked. Concurrent ones may all be wrong: for one address, no more are checked at once than
 * may still be wrong, and the others wait. So parallel guesses are limited like sequential ones, and nobody is refused for
 * sending many at once.
 */

import type { RateLimit, RateStanding } from './rate-limit.ts';

interface Checks {
  running: number;
  readonly waiting: (() => void)[];
}

export class CredentialChecks {
  readonly #failures: RateLimit;
  readonly #byAddress = new Map<string, Checks>();

  /** `failures` counts the wrong ones of each address. */
  constructor(failures: RateLimit) {
    this.#failures = failures;
  }

  /**
   * Resolves when the next credential may be checked, with a callback for the result. Rejects with `refused` if too many
   * were wrong.
   */
  async begin(address: string, refused: (standing: RateStanding) => Error): Promise<(isWrong: boolean) => void> {
    for (;;) {
      const standing = this.#failures.look(address);
      if (!standing.isAllowed) throw refused(standing);
      const checks = this.#byAddress.get(address) ?? { running: 0, waiting: [] };
      if (checks.running === 0 || checks.running < standing.remaining) return this.#take(address, checks);
      await new Promise<void>((resolve) => checks.waiting.push(resolve));
    }
  }

  #take(address: string, checks: Checks): (isWrong: boolean) => void {
    checks.running += 1;
    this.#byAddress.set(address, checks);
    return (isWrong) => {
      if (isWrong) this.#failures.take(address);
      checks.running -= 1;
      if (checks.running === 0) this.#byAddress.delete(address);
      for (const wake of checks.waiting.splice(0)) wake();
    };
  }
}
