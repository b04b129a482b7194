/** Giving every entry a vector in a space, page by page, until none lacks one, including concurrent writes. */

import type { Archive } from '../../ports/archive.ts';
import type { Embedder, EmbeddingSpace } from '../../ports/embedder.ts';
import type { SpaceStore } from '../../ports/space-store.ts';
import type { Upkeep } from '../../ports/upkeep.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { synchronise } from '../indexing/synchronise.ts';
import { embeddedText } from '../remember/content.ts';

/** What is held in memory at once; the embedder makes requests of it as it likes. */
const PAGE = 128;

const TENANTS_AT_ONCE = 1000;

export interface SpaceNeeds {
  readonly spaces: SpaceStore;
  readonly archive: Pick<Archive, 'tenants'>;
  readonly upkeep: Pick<Upkeep, 'points'>;
  /** Where vectors are searched beside the store. */
  readonly index?: VectorIndex | undefined;
}

export interface FillProgress {
  readonly done: number;
  readonly total: number;
}

export interface FillWork {
  readonly needs: SpaceNeeds;
  readonly embedder: Pick<Embedder, 'embed'>;
  readonly space: EmbeddingSpace;
  readonly signal: AbortSignal;
  /** Told after every page. */
  readonly progress?: ((progress: FillProgress) => void) | undefined;
}

/**
 * How many were given one. Can be cut short at any moment and started again, and goes on where it was: what has a vector is
 * not embedded again. Throws `EMBEDDING_FAILED`, `UNAVAILABLE`, and what the signal was aborted with.
 */
export async function fillSpace(work: FillWork): Promise<number> {
  const { needs, space } = work;
  let done = 0;
  // Whoever does not know of the space yet writes without, for a second or so: it is gone through again until none is found.
  for (;;) {
    const missing = await countMissing(needs, space);
    if (missing === 0) return done;
    const total = done + missing;
    const told = (): void => work.progress?.({ done: Math.min(done, total), total });
    told();
    for await (const tenantId of tenantsOf(needs)) {
      for await (const filled of fillTenant(work, tenantId)) {
        done += filled;
        told();
      }
    }
  }
}

/** Of all tenants. */
export async function countMissing(
  needs: Pick<SpaceNeeds, 'spaces' | 'archive'>,
  space: EmbeddingSpace,
): Promise<number> {
  let missing = 0;
  for await (const tenantId of tenantsOf(needs)) missing += await needs.spaces.countUnembedded(tenantId, space);
  return missing;
}

export async function* tenantsOf({ archive }: Pick<SpaceNeeds, 'archive'>): AsyncGenerator<string> {
  let page = await archive.tenants(TENANTS_AT_ONCE);
  while (page.length > 0) {
    yield* page;
    page = await archive.tenants(TENANTS_AT_ONCE, page.at(-1));
  }
}

async function* fillTenant({ needs, embedder, space, signal }: FillWork, tenantId: string): AsyncGenerator<number> {
  let after: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { entries, next } = await needs.spaces.unembedded(tenantId, space, PAGE, after);
    if (next === undefined) return;
    const vectors = await embedder.embed(entries.map(embeddedText));
    signal.throwIfAborted();
    const fills = entries.flatMap(({ id, version }, index) => {
      const vector = vectors[index];
      return vector ? [{ id, version, embedding: { space, vector } }] : [];
    });
    await needs.spaces.fill(tenantId, fills);
    await tellIndex(
      needs,
      space,
      tenantId,
      fills.map(({ id }) => id),
    );
    yield fills.length;
    after = next;
  }
}

/** No event tells an index beside the store of it. One that is not built yet will have it anyway. */
async function tellIndex(
  { index, upkeep }: SpaceNeeds,
  space: EmbeddingSpace,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (index === undefined || (await index.progress(space, tenantId)) === undefined) return;
  await synchronise({ index, upkeep }, space, tenantId, ids);
}
