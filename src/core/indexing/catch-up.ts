/** Telling the index what has happened in a tenant since it was last told. The event log is the outbox. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import { rebuild } from './rebuild.ts';
import type { IndexNeeds } from './index-needs.ts';
import { synchronise } from './synchronise.ts';

const BATCH = 256;

/**
 * Builds the index where there is none. The position that it has come to; undefined when there is nothing to index yet, when
 * somebody else is building it, or when it was told to stop. Several processes can do it at once, and again and again.
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

/** Of a tenant that has nothing, or is none, nothing is to be written down. */
async function isEmpty({ archive }: IndexNeeds, tenantId: string): Promise<boolean> {
  return (await archive.read(tenantId, 'entries', 1)).last === undefined;
}
