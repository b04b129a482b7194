/** Restoring a snapshot: entries that differ get a new version with the old content, so that it can be undone. */

import type { RestoreSnapshotOutput, SnapshotIdInput } from '../../domain/context-snapshot.ts';
import type { SnapshotItem } from '../../domain/context.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, orAbsent } from '../records/record.ts';
import { EntryStates, saysTheSame } from './entry-states.ts';
import { allEntries } from './find-entry.ts';
import type { OpenContext } from './open-context.ts';
import { rewriteEntries, type Rewriting } from './rewrite-entries.ts';
import { findSnapshot, takeSnapshot } from './snapshot-records.ts';
import { visiting } from './visit.ts';

interface Plan {
  readonly restoring: readonly Rewriting[];
  /** Made since: they are archived. */
  readonly archiving: readonly Rewriting[];
  readonly missing: readonly string[];
  readonly unchangedCount: number;
}

/**
 * Not atomic for many entries: an interrupted call has restored some, and can be repeated. Restored entries stay as they
 * are.
 */
export function restoreSnapshot(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, snapshotId }: SnapshotIdInput,
): Promise<RestoreSnapshotOutput> {
  const visit = { contextId, need: 'write', action: 'contextSnapshots.restore', entryKey: snapshotId } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const { items } = orAbsent('snapshot', await findSnapshot(dependencies, place, snapshotId));
    const entries = await allEntries(dependencies, place);
    const plan = await planOf(dependencies, place, items, entries);
    const changes = [...plan.restoring, ...plan.archiving];
    const { missing, unchangedCount } = plan;
    let undoSnapshotId: string | null = null;
    if (changes.length > 0) {
      const reason = `before the restore of ${snapshotId}`;
      ({ snapshotId: undoSnapshotId } = await takeSnapshot(dependencies, principal, place, entries, { reason }));
      await rewriteEntries(dependencies, principal, place, changes);
    }
    return {
      undoSnapshotId,
      restored: plan.restoring.map(keyOf),
      archived: plan.archiving.map(keyOf),
      missing: [...missing],
      unchangedCount,
    };
  });
}

function keyOf({ state }: Rewriting): string {
  return state.externalId ?? '';
}

async function planOf(
  dependencies: Dependencies,
  place: OpenContext,
  items: readonly SnapshotItem[],
  entries: readonly Entry[],
): Promise<Plan> {
  const states = new EntryStates(dependencies, place, entries);
  const now = isoAt(dependencies.clock.now());
  const known = new Set(items.map(({ entryId }) => entryId));
  const made = entries.filter(({ id, status }) => !known.has(id) && status !== 'archived');
  const restoring: Rewriting[] = [];
  const missing: string[] = [];
  for (const item of items) {
    const [current, state] = [states.current(item.entryId), await states.at(item)];
    if (current === undefined || state === undefined) {
      missing.push(item.key);
      continue;
    }
    const target = { state: stillValid(state, current, now), isArchived: item.isArchived };
    const isSameShelf = item.isArchived === (current.status === 'archived');
    if (!isSameShelf || !saysTheSame(target.state, current)) restoring.push(target);
  }
  return {
    restoring,
    archiving: made.map((state) => ({ state, isArchived: true })),
    missing,
    unchangedCount: items.length - restoring.length - missing.length,
  };
}

/** An expiry in the past must not hide an entry that was restored. */
function stillValid(state: Entry, { expiresAt }: Entry, now: string): Entry {
  if (state.expiresAt === undefined || state.expiresAt > now) return state;
  const { expiresAt: _over, ...rest } = state;
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) };
}
