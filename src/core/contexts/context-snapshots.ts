/** Snapshots of a context: made, listed, compared and restored by those who may write there. */

import type {
  CompareSnapshotInput,
  CompareSnapshotOutput,
  CreateSnapshotInput,
  FullSnapshot,
  ListSnapshotsInput,
  ListSnapshotsOutput,
  RestoreSnapshotOutput,
  Snapshot,
  SnapshotIdInput,
} from '../../domain/context-snapshot.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordPage } from '../records/page.ts';
import { compareSnapshot } from './compare-snapshot.ts';
import { allEntries } from './find-entry.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { findSnapshot, snapshotShown, takeSnapshot } from './snapshot-records.ts';
import { visited, visiting } from './visit.ts';

/** As with contexts: what may not be read is not there, what may not be written is `FORBIDDEN`. */
export interface ContextSnapshots {
  /** Throws `LIMIT_EXCEEDED` for a context with too many entries. */
  create(principal: Principal, input: CreateSnapshotInput): Promise<Snapshot>;
  list(principal: Principal, input: ListSnapshotsInput): Promise<ListSnapshotsOutput>;
  get(principal: Principal, input: SnapshotIdInput): Promise<FullSnapshot | null>;
  /** Throws `NOT_FOUND`. */
  compare(principal: Principal, input: CompareSnapshotInput): Promise<CompareSnapshotOutput>;
  /** Throws `NOT_FOUND`. Can be repeated: what is restored already stays as it is. */
  restore(principal: Principal, input: SnapshotIdInput): Promise<RestoreSnapshotOutput>;
  /** False when it was not there. */
  delete(principal: Principal, input: SnapshotIdInput): Promise<boolean>;
}

export function createContextSnapshots(dependencies: Dependencies): ContextSnapshots {
  return {
    create: (principal, input) => create(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    get: (principal, input) => get(dependencies, principal, input),
    compare: (principal, input) => compareSnapshot(dependencies, principal, input),
    restore: (principal, input) => restoreSnapshot(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input),
  };
}

function create(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, name }: CreateSnapshotInput,
): Promise<Snapshot> {
  const visit = { contextId, need: 'write', action: 'contextSnapshots.create' } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const entries = await allEntries(dependencies, place);
    return snapshotShown(await takeSnapshot(dependencies, principal, place, entries, { name }));
  });
}

function list(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, limit, cursor }: ListSnapshotsInput,
): Promise<ListSnapshotsOutput> {
  const visit = { contextId, need: 'read', action: 'contextSnapshots.list' } as const;
  return visiting(dependencies, principal, visit, async ({ owner }) => {
    const page = await recordPage(dependencies.records.contextSnapshots, owner, {
      list: 'contextSnapshots',
      where: { contextId: [contextId] },
      limit,
      cursor,
      place: ({ createdAt, snapshotId }) => [createdAt, snapshotId],
    });
    const snapshots = page.items.map(snapshotShown);
    return { snapshots, count: snapshots.length, nextCursor: page.nextCursor };
  });
}

function get(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, snapshotId }: SnapshotIdInput,
): Promise<FullSnapshot | null> {
  const visit = { contextId, need: 'read', action: 'contextSnapshots.get', entryKey: snapshotId } as const;
  return visited(dependencies, principal, visit, async (place) => {
    const record = await findSnapshot(dependencies, place, snapshotId);
    return record && { ...snapshotShown(record), items: [...record.items] };
  });
}

async function remove(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, snapshotId }: SnapshotIdInput,
): Promise<boolean> {
  const visit = { contextId, need: 'write', action: 'contextSnapshots.delete', entryKey: snapshotId } as const;
  const isRemoved = await visited(dependencies, principal, visit, async (place) => {
    if ((await findSnapshot(dependencies, place, snapshotId)) === null) return false;
    return (await dependencies.records.contextSnapshots.remove(place.owner, snapshotId)) !== null;
  });
  return isRemoved ?? false;
}
