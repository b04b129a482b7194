/** How much of a tenant is sealed, and with which keys. */

import type { Archived } from '../ports/archive.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { StoredKey } from '../ports/key-store.ts';
import { RESEALED, type Resealed } from '../ports/resealing.ts';
import { sealedTextsOf } from './resealed.ts';
import { keyIdOf } from './sealed-text.ts';

const PAGE_SIZE = 500;

export interface SealedCount {
  readonly plain: number;
  /** By the id of the key. */
  readonly sealed: Readonly<Record<string, number>>;
}

export interface SealingStatus {
  readonly tenantId: string;
  /** Without the keys themselves. */
  readonly keys: readonly Omit<StoredKey, 'wrapped'>[];
  /** Whether nothing of it is left unsealed, as far as is known without looking. */
  readonly isComplete: boolean;
  /** Only collections that hold something. */
  readonly collections: Readonly<Record<string, SealedCount>>;
}

/** Reads everything. `engine` is the one underneath. */
export async function sealingStatus(
  engine: Pick<Engine, 'keys' | 'archive'>,
  hot: HotStore | undefined,
  tenantId: string,
): Promise<SealingStatus> {
  const keys = await engine.keys.list(tenantId);
  const collections: Record<string, SealedCount> = {};
  for (const collection of RESEALED) {
    const tally = new Tally();
    let after: Parameters<Engine['archive']['read']>[3];
    do {
      const page = await engine.archive.read(tenantId, collection, PAGE_SIZE, after);
      for (const item of page.items) tally.add(collection, item);
      after = page.last;
    } while (after !== undefined);
    if (!tally.isEmpty) collections[collection] = tally.count;
  }
  if (hot !== undefined) {
    const tally = new Tally();
    let items = await hot.archive.read(tenantId, PAGE_SIZE);
    while (items.length > 0) {
      for (const item of items) tally.add('state', item);
      items = await hot.archive.read(tenantId, PAGE_SIZE, items.at(-1));
    }
    if (!tally.isEmpty) collections['hotState'] = tally.count;
  }
  return {
    tenantId,
    keys: keys.map(({ wrapped: _wrapped, ...key }) => key),
    isComplete: keys.some(({ completeAt }) => completeAt !== null),
    collections,
  };
}

class Tally {
  #plain = 0;
  readonly #sealed: Record<string, number> = {};

  get isEmpty(): boolean {
    return this.#plain === 0 && Object.keys(this.#sealed).length === 0;
  }

  get count(): SealedCount {
    return { plain: this.#plain, sealed: this.#sealed };
  }

  /** A record of which not everything is sealed counts as plain. */
  add(collection: Resealed, item: Archived[Resealed]): void {
    const texts = sealedTextsOf(collection, item);
    const ids = texts.map(keyIdOf);
    const [id] = ids;
    if (texts.length === 0) return;
    if (id === undefined || ids.includes(undefined)) this.#plain += 1;
    else this.#sealed[id] = (this.#sealed[id] ?? 0) + 1;
  }
}
