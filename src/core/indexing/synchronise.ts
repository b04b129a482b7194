/** Making the index say of some entries what the store says. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { StoredPoint, Upkeep } from '../../ports/upkeep.ts';
import type { IndexedPoint } from '../../ports/vector-index.ts';
import type { IndexNeeds } from './index-needs.ts';

/** An entry that is changed faster than this has an event behind it, with which its turn comes again. */
const MAX_TURNS = 10;

/**
 * Any number of processes may be at the same entries. Each looks again at the store after it has written, so that whoever
 * writes last writes what stands there: nothing that was read before a deletion outlives it.
 */
export async function synchronise(
  { index, upkeep }: Pick<IndexNeeds, 'index'> & { readonly upkeep: Pick<Upkeep, 'points'> },
  space: EmbeddingSpace,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  let left = ids;
  let stored = byId(await upkeep.points(tenantId, space, ids));
  for (let turn = 0; turn < MAX_TURNS && left.length > 0; turn += 1) {
    const points = left.flatMap((id) => pointsOf(stored.get(id)));
    if (points.length > 0) await index.put(space, tenantId, points);
    const gone = left.filter((id) => !stored.has(id));
    await index.remove(tenantId, gone);
    const without = left.filter((id) => stored.has(id) && stored.get(id)?.vector === undefined);
    await index.remove(tenantId, without, space);
    const now = byId(await upkeep.points(tenantId, space, left));
    left = left.filter((id) => now.get(id)?.version !== stored.get(id)?.version);
    stored = now;
  }
}

function byId(points: readonly StoredPoint[]): Map<string, StoredPoint> {
  return new Map(points.map((point) => [point.id, point]));
}

function pointsOf(point: StoredPoint | undefined): IndexedPoint[] {
  if (point?.vector === undefined) return [];
  const { id, partition, ownerId, vector } = point;
  return [{ id, partition, ownerId, vector }];
}
