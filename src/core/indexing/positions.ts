/**
 * How far the index has come in each tenant and space, as far as this process knows. A known position may be old, never too
 * new.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { IndexProgress } from '../../ports/vector-index.ts';

const MAX_TENANTS = 10_000;

/** How long a known position is valid: a lost index, or one restored from an older copy, is noticed after that. */
const FRESH_MS = 10_000;

interface Known {
  readonly position: string;
  readonly readAt: number;
}

export class Positions {
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, Known>({ max: MAX_TENANTS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Without asking, where that was done a moment ago. */
  async find(
    space: EmbeddingSpace,
    tenantId: string,
    ask: () => Promise<IndexProgress | undefined>,
  ): Promise<IndexProgress | undefined> {
    const key = keyOf(space, tenantId);
    const known = this.#known.get(key);
    const readAt = this.#clock.now();
    if (known && readAt - known.readAt < FRESH_MS) return known;
    const progress = await ask();
    if (progress?.position === undefined || progress.rebuild !== undefined) this.#known.delete(key);
    else this.#known.set(key, { position: progress.position, readAt });
    return progress;
  }

  /** However long ago it was. */
  known(space: EmbeddingSpace, tenantId: string): string | undefined {
    return this.#known.get(keyOf(space, tenantId))?.position;
  }

  /** The index has been told everything up to here. */
  note(space: EmbeddingSpace, tenantId: string, position: string): void {
    const key = keyOf(space, tenantId);
    const readAt = this.#known.get(key)?.readAt ?? this.#clock.now();
    this.#known.set(key, { position, readAt });
  }

  forget(space: EmbeddingSpace, tenantId: string): void {
    this.#known.delete(keyOf(space, tenantId));
  }
}

function keyOf({ model, dimensions }: EmbeddingSpace, tenantId: string): string {
  return JSON.stringify([tenantId, model, dimensions]);
}
