/** What a source says more than once under one name: the last counts, or every import would write all of them again. Pure. */

import { createHash } from 'node:crypto';

export class Repeats {
  /** Hashes, so that millions of names take little memory. */
  readonly #seen = new Set<bigint>();
  readonly #still = new Map<bigint, number>();

  /** While it is checked. Whether it was there before. */
  note(name: string): boolean {
    const hash = hashOf(name);
    if (!this.#seen.has(hash)) {
      this.#seen.add(hash);
      return false;
    }
    this.#still.set(hash, (this.#still.get(hash) ?? 0) + 1);
    return true;
  }

  /** While it is written, in the same order. Whether it comes again later. */
  comesAgain(name: string): boolean {
    if (this.#still.size === 0) return false;
    const hash = hashOf(name);
    const still = this.#still.get(hash) ?? 0;
    if (still > 0) this.#still.set(hash, still - 1);
    return still > 0;
  }
}

function hashOf(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigUInt64BE();
}
