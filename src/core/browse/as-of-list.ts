/** A list as of an earlier moment: unchanged entries, and changed ones as they were then. */

import type { ListInput, ListOutput } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { EntryStore } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Bookmark } from '../paging/cursor.ts';
import { pageOf } from '../paging/page.ts';
import { momentOf } from '../recall/as-of.ts';
import { pastReachOf, readChanges, type PastReach } from '../recall/as-of-changes.ts';
import { identifiersOf } from '../scoping.ts';
import { isAfter, newest, placeOf } from './newest-first.ts';

/** How many changed entries are read at a time. */
const BATCH = 500;

/** Newest first. The cost grows with how much was changed since: versions are read one by one. */
export async function listAsOf(
  { entries, clock }: Dependencies,
  principal: Principal,
  input: ListInput & { readonly asOf: string },
): Promise<ListOutput> {
  const { layer, kinds, status = 'active', filter, cursor, limit } = input;
  const at = momentOf(input.asOf, clock);
  const identifiers = identifiersOf(principal, input.identifiers);
  const reach = pastReachOf(principal, [scopeOf(layer, identifiers)], { kinds, shelf: status, filter }, at);
  const selection = { ...reach.unchanged, createdBefore: at + 1 };
  let changedCount = 0;
  const page = await pageOf<Entry>({
    list: { layer, identifiers, kinds, status, filter, at },
    cursor,
    limit,
    placeOf,
    read: async (count, after) => {
      // In this order, an entry that is changed meanwhile is found twice rather than not at all.
      const unchanged = await entries.list(principal, selection, count, after && { createdAt: after.at, id: after.id });
      const changed = await firstChanged(entries, principal, reach, count, after);
      changedCount = changed.total;
      return newest([...unchanged, ...changed.first], count);
    },
  });
  const totalCount = changedCount + (await entries.count(principal, selection));
  return { memories: page.items, nextCursor: page.nextCursor, totalCount };
}

interface FirstChanged {
  readonly first: Entry[];
  /** How many there are, before and after the place. */
  readonly total: number;
}

async function firstChanged(
  entries: EntryStore,
  principal: Principal,
  reach: PastReach,
  count: number,
  after: Bookmark | undefined,
): Promise<FirstChanged> {
  let first: Entry[] = [];
  const seen = new Set<string>();
  let changes = await readChanges(entries, principal, reach, BATCH);
  for (;;) {
    const versions = changes.versions.map(({ former }) => former).filter(({ id }) => !seen.has(id));
    for (const { id } of versions) seen.add(id);
    first = newest([...first, ...versions.filter((entry) => isAfter(entry, after))], count);
    if (!changes.isFull) return { first, total: seen.size };
    changes = await readChanges(entries, principal, reach, BATCH, changes.last);
  }
}
