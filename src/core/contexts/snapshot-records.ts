/** Snapshots as they are stored: they are the owner's of their context. */

import type { Snapshot } from '../../domain/context-snapshot.ts';
import type { SnapshotRecord } from '../../domain/context.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, taken } from '../records/record.ts';
import { itemOf } from './entry-states.ts';
import type { OpenContext } from './open-context.ts';
import { actorName } from './visit.ts';

interface Label {
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
}

/** Of these entries, which are all that the context has. */
export async function takeSnapshot(
  { records, clock, ids }: Dependencies,
  principal: Principal,
  { owner, context: { contextId, ownerId } }: OpenContext,
  entries: readonly Entry[],
  { name, reason }: Label,
): Promise<SnapshotRecord> {
  const now = isoAt(clock.now());
  const snapshotId = ids.next();
  const record = await records.contextSnapshots.create(owner, {
    snapshotId,
    contextId,
    ownerId,
    ...(name !== undefined && { name }),
    ...(reason !== undefined && { reason }),
    createdBy: actorName(principal),
    items: entries.map(itemOf),
    createdAt: now,
    updatedAt: now,
  });
  if (record === null) throw taken('snapshot', snapshotId);
  return record;
}

/** Null when it is not there, or of another context. */
export async function findSnapshot(
  { records }: Dependencies,
  { owner, context }: OpenContext,
  snapshotId: string,
): Promise<SnapshotRecord | null> {
  const record = await records.contextSnapshots.get(owner, snapshotId);
  return record?.contextId === context.contextId ? record : null;
}

export function snapshotShown(record: SnapshotRecord): Snapshot {
  const { snapshotId, contextId, name, reason, createdBy, items, createdAt } = record;
  return {
    snapshotId,
    contextId,
    ...(name !== undefined && { name }),
    ...(reason !== undefined && { reason }),
    createdBy,
    entryCount: items.length,
    createdAt,
  };
}
