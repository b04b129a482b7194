/** What a service has answered with so far: ids, keys and cursors with which one request follows from another. */

import type { SeededRandom } from '../../src/testing/seeded-random.ts';

const KEPT = 40;
const NAMED = /(^|_)id$|^key$|^subject$|^object$|^predicate$/;

/** Names and values that go together, such as a plan and a key in it. */
export type Place = Readonly<Record<string, string>>;

export class KnownValues {
  readonly #values = new Map<string, string[]>();
  readonly #places = new Map<string, Place[]>();
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** A value under this name, or undefined where there is none. */
  pick(name: string): string | undefined {
    const values = this.#values.get(name) ?? [];
    return values.length === 0 ? undefined : this.#random.pick(values);
  }

  /** A place below this path in which all of these are named, where one is known. */
  place(root: string, names: readonly string[]): Place | undefined {
    const places = (this.#places.get(root) ?? []).filter((place) => names.every((name) => place[name] !== undefined));
    return places.length === 0 ? undefined : this.#random.pick(places);
  }

  learnPlace(root: string, place: Place): void {
    const places = this.#places.get(root) ?? [];
    if (places.length >= KEPT) places.splice(this.#random.below(KEPT), 1);
    this.#places.set(root, [...places, place]);
  }

  /** All that lies there is gone. */
  forgetPlace(root: string, gone: Place): void {
    const isGone = (place: Place): boolean => Object.entries(gone).every(([name, value]) => place[name] === value);
    this.#places.set(
      root,
      (this.#places.get(root) ?? []).filter((place) => !isGone(place)),
    );
  }

  /** A cursor counts only for the operation that gave it. */
  learn(operation: string, value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learn(operation, item);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && NAMED.test(name)) this.#keep(name, inner);
        else if (typeof inner === 'string' && name === 'next_cursor') this.#keep(`cursor of ${operation}`, inner);
        else this.learn(operation, inner);
      }
    }
  }

  #keep(name: string, value: string): void {
    const values = this.#values.get(name) ?? [];
    if (values.includes(value)) return;
    if (values.length >= KEPT) values.splice(this.#random.below(KEPT), 1);
    this.#values.set(name, [...values, value]);
  }
}

/** The names of values that are ids or keys, of these. */
export function namedIn(value: unknown): Place {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const named = Object.entries(value).filter(([name, inner]) => typeof inner === 'string' && NAMED.test(name));
  return Object.fromEntries(named);
}
