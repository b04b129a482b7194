/** Chance that repeats itself: the same seed gives the same data on every machine. */

/** FNV-1a: a text as a seed. */
export function seedOf(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** Mulberry32: small, fast, and even enough for test data. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` up to but not including `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}
