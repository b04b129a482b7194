/** The values of one tenant that are held in memory: those used last, as text, up to a bound. */

import { LRUCache } from 'lru-cache';
import type { KeptState } from './sqlite-state-statements.ts';
import type { Counted } from './sqlite-state-touches.ts';

/** Characters; a value may be as large as the whole, which then holds little else. */
const MAX_SIZE = 8 * 1024 * 1024;

/** What an entry takes besides its texts, roughly. */
const OVERHEAD = 200;

export class SqliteStateCache {
  readonly #held = new LRUCache<string, KeptState>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ json }, name) => json.length + name.length + OVERHEAD,
  });

  get(namespace: string, key: string): KeptState | undefined {
    return this.#held.get(nameOf(namespace, key));
  }

  set(namespace: string, key: string, held: KeptState): void {
    this.#held.set(nameOf(namespace, key), held);
  }

  /** Where it is held: how often and when it was read, as it stands in the file. */
  count({ namespace, key, ...accesses }: Counted): void {
    const held = this.#held.peek(nameOf(namespace, key));
    if (held !== undefined) this.set(namespace, key, { ...held, ...accesses });
  }

  delete(namespace: string, key: string): void {
    this.#held.delete(nameOf(namespace, key));
  }

  clear(): void {
    this.#held.clear();
  }
}

/** Unambiguous whatever both hold. */
function nameOf(namespace: string, key: string): string {
  return `${namespace.length}:${namespace}${key}`;
}
