/** Tells whether something of a name has changed since: a number for each that is another one after every change. */

import { LRUCache } from 'lru-cache';

/** So many names are remembered; the others count as if they had just changed. */
const MAX_NAMES = 10_000;

export class ChangeCounts {
  readonly #latest = new LRUCache<string, number>({ max: MAX_NAMES });
  #count = 0;

  of(name: string): number {
    return this.#latest.get(name) ?? this.note(name);
  }

  /** It has changed. */
  note(name: string): number {
    this.#count += 1;
    this.#latest.set(name, this.#count);
    return this.#count;
  }
}
