/** Comparing a snapshot with another one, or with the context as it is now. */

import type {
  ChangedState,
  CompareSnapshotInput,
  CompareSnapshotOutput,
  ListedState,
} from '../../domain/context-snapshot.ts';
import type { SnapshotItem } from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, orAbsent } from '../records/record.ts';
import { EntryStates, itemOf, saysTheSame } from './entry-states.ts';
import { allEntries } from './find-entry.ts';
import type { OpenContext } from './open-context.ts';
import { findSnapshot } from './snapshot-records.ts';
import { visiting } from './visit.ts';

/** One of the two that are compared. */
interface Side {
  readonly snapshotId: string | null;
  readonly at: string;
  readonly items: readonly SnapshotItem[];
}

export function compareSnapshot(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, snapshotId, otherSnapshotId }: CompareSnapshotInput,
): Promise<CompareSnapshotOutput> {
  const visit = { contextId, need: 'read', action: 'contextSnapshots.compare', entryKey: snapshotId } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const before = await sideOf(dependencies, place, snapshotId);
    const other = otherSnapshotId && (await sideOf(dependencies, place, otherSnapshotId));
    const entries = await allEntries(dependencies, place);
    const now = { snapshotId: null, at: isoAt(dependencies.clock.now()), items: entries.map(itemOf) };
    return difference(new EntryStates(dependencies, place, entries), before, other || now);
  });
}

async function sideOf(dependencies: Dependencies, place: OpenContext, snapshotId: string): Promise<Side> {
  const { createdAt, items } = orAbsent('snapshot', await findSnapshot(dependencies, place, snapshotId));
  return { snapshotId, at: createdAt, items };
}

async function difference(states: EntryStates, before: Side, after: Side): Promise<CompareSnapshotOutput> {
  const [olds, news] = [byKey(before.items), byKey(after.items)];
  const added = after.items.filter(({ key }) => !olds.has(key));
  const removed = before.items.filter(({ key }) => !news.has(key));
  const changed: ChangedState[] = [];
  let unchangedCount = 0;
  for (const item of before.items) {
    const next = news.get(item.key);
    if (next === undefined) continue;
    const change = await changeOf(states, item, next);
    if (change === undefined) unchangedCount += 1;
    else changed.push(change);
  }
  const listed = (items: SnapshotItem[]): Promise<ListedState[]> =>
    Promise.all(items.map(async (item) => ({ key: item.key, ...(await stateShown(states, item)) })));
  return {
    before: { snapshotId: before.snapshotId, at: before.at },
    after: { snapshotId: after.snapshotId, at: after.at },
    added: await listed(added),
    removed: await listed(removed),
    changed,
    unchangedCount,
  };
}

function byKey(items: readonly SnapshotItem[]): Map<string, SnapshotItem> {
  return new Map(items.map((item) => [item.key, item]));
}

/** A later version that says the same, as a restore makes one, is no change. */
async function changeOf(
  states: EntryStates,
  before: SnapshotItem,
  after: SnapshotItem,
): Promise<ChangedState | undefined> {
  const isSameEntry = before.entryId === after.entryId && before.isArchived === after.isArchived;
  if (isSameEntry && before.version === after.version) return undefined;
  const [then, now] = await Promise.all([states.at(before), states.at(after)]);
  if (isSameEntry && then && now && saysTheSame(then, now)) return undefined;
  return {
    key: before.key,
    before: await stateShown(states, before),
    after: await stateShown(states, after),
  };
}

async function stateShown(states: EntryStates, item: SnapshotItem): Promise<Omit<ListedState, 'key'>> {
  const { entryId, version, isArchived } = item;
  return { entryId, version, isArchived, content: (await states.at(item))?.content ?? null };
}
