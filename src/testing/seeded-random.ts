/** Random choices that come out the same on every run. */

import assert from 'node:assert/strict';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Mulberry32: small, and random enough to pick test data. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Between 0 and 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    assert.ok(choice !== undefined, 'nothing to choose from');
    return choice;
  }

  /** A word that no other call gave, in all likelihood, and that stemming leaves alone. */
  word(): string {
    return `${Array.from({ length: 9 }, () => LETTERS[this.below(LETTERS.length)]).join('')}x`;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(' ');
  }
}
