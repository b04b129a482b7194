/** Bringing the index of a tenant up to date. The event log is the outbox. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import { rebuild } from './rebuild.ts';
import type { IndexNeeds } from './index-needs.ts';
import { synchronise } from './synchronise.ts';

const BATCH = 256;

/**
 * Builds the index if there is none, and rebuilds it if the log no longer reaches back to its position. The position that
 * it has come to; undefined when there is nothing to index yet, when another process is building it, or when it was
 * aborted. Several processes can run it at once, and repeatedly.
 */
export async function catchUp(
  needs: IndexNeeds,
  space: EmbeddingSpace,
  tenantId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { index, upkeep } = needs;
  const found = await index.progress(space, tenantId);
  const isBuilt = found?.rebuild === undefined && found?.position !== undefined;
  if (!isBuilt && found === undefined && (await isEmpty(needs, tenantId))) return undefined;
  let position = isBuilt ? found.position : await rebuild({ needs, space, tenantId, signal });
  while (position !== undefined && !signal.aborted) {
    const page = await upkeep.changes(tenantId, position, BATCH);
    if (page === undefined) {
      // The log no longer has the events since then.
      position = await rebuild({ needs, space, tenantId, signal });
      continue;
    }
    const ids = [...new Set(page.items.map(({ memoryId }) => memoryId))];
    if (ids.length > 0) {
      await synchronise(needs, space, tenantId, ids);
      // A rebuild that has begun meanwhile has a position of its own.
      if ((await index.progress(space, tenantId))?.rebuild !== undefined) return undefined;
      await index.saveProgress(space, tenantId, { position: page.position });
    }
    position = page.position;
    if (page.items.length < BATCH) return position;
  }
  return undefined;
}

/** For an empty or unknown tenant, nothing is recorded. */
async function isEmpty({ archive }: IndexNeeds, tenantId: string): Promise<boolean> {
  return (await archive.read(tenantId, 'entries', 1)).last === undefined;
}
