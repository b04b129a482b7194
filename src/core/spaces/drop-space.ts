/** Removing the vectors of a space that is in use no more: from the store, and from an index beside it. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { tenantsOf, type SpaceNeeds } from './fill-space.ts';

const PAGE = 1000;

/** How many the store had. Can be cut short and repeated. */
export async function dropSpace(needs: SpaceNeeds, space: EmbeddingSpace, signal: AbortSignal): Promise<number> {
  let dropped = 0;
  for await (const tenantId of tenantsOf(needs)) {
    let removed: number;
    do {
      signal.throwIfAborted();
      removed = await needs.spaces.drop(tenantId, space, PAGE);
      dropped += removed;
    } while (removed > 0);
    if (needs.index) await dropFromIndex(needs.index, space, tenantId, signal);
  }
  return dropped;
}

/** Should the model come back, the index is built anew. */
async function dropFromIndex(
  index: VectorIndex,
  space: EmbeddingSpace,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  if ((await index.progress(space, tenantId)) === undefined) return;
  await index.saveProgress(space, tenantId, {});
  for (;;) {
    signal.throwIfAborted();
    const { ids } = await index.list(space, tenantId, PAGE);
    if (ids.length === 0) return;
    await index.remove(tenantId, ids, space);
  }
}
