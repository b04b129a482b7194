/** The values of one tenant that are held in memory: those used last, as text, up to a bound. */

import { LRUCache } from 'lru-cache';
import type { KeptState } from './sqlite-state-statements.ts';
import type { Counted } from './sqlite-state-touches.ts';

/** Characters; a value may be as large as the whole, which then holds little else. */
const MAX_SIZE = 8 * 1024 * 1024;

/** What an entry takes besides its texts, roughly. */
const OVERHEAD = 200;

/** Where a value lies. One object for each value that is held, by which it is found without a name being put together. */
type Place = Pick<Counted, 'namespace' | 'key'>;

export class SqliteStateCache {
  readonly #places = new Map<string, Map<string, Place>>();
  readonly #held = new LRUCache<Place, KeptState>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ json }, { namespace, key }) => json.length + namespace.length + key.length + OVERHEAD,
    dispose: (_held, place, reason) => {
      if (reason !== 'set') this.#leave(place);
    },
  });

  get(namespace: string, key: string): KeptState | undefined {
    const place = this.#places.get(namespace)?.get(key);
    return place && this.#held.get(place);
  }

  set(namespace: string, key: string, held: KeptState): void {
    const place = this.#placeOf(namespace, key);
    this.#held.set(place, held);
    // One that is larger than all of the room is not held, and nobody else says so.
    if (!this.#held.has(place)) this.#leave(place);
  }

  /** Where it is held: how often and when it was read, as it stands in the file. */
  count({ namespace, key, ...accesses }: Counted): void {
    const place = this.#places.get(namespace)?.get(key);
    const held = place && this.#held.peek(place);
    if (held !== undefined) this.set(namespace, key, { ...held, ...accesses });
  }

  delete(namespace: string, key: string): void {
    const place = this.#places.get(namespace)?.get(key);
    if (place !== undefined) this.#held.delete(place);
  }

  clear(): void {
    this.#held.clear();
  }

  #placeOf(namespace: string, key: string): Place {
    let keys = this.#places.get(namespace);
    if (keys === undefined) this.#places.set(namespace, (keys = new Map()));
    let place = keys.get(key);
    if (place === undefined) keys.set(key, (place = { namespace, key }));
    return place;
  }

  #leave({ namespace, key }: Place): void {
    const keys = this.#places.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#places.delete(namespace);
  }
}
