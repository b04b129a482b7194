/** Reading the entries of a context: one, many, the history of one, and what answers a question. */

import type { Partition, Shelf } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import {
  DEFAULT_CONTEXT_THRESHOLD,
  type ContextEntry,
  type ContextEntryKeyInput,
  type ContextEntryVersionsOutput,
  type ListContextEntriesInput,
  type ListContextEntriesOutput,
  type SearchContextInput,
  type SearchContextOutput,
} from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { versions } from '../browse/browse.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { recall } from '../recall/recall.ts';
import { orAbsent } from '../records/record.ts';
import { contextEntryOf, filterOf } from './context-entry-view.ts';
import { entryAt } from './find-entry.ts';
import { partitionsOf, type OpenContext } from './open-context.ts';
import { visited, visiting } from './visit.ts';

export function getEntry(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, key }: ContextEntryKeyInput,
): Promise<ContextEntry | null> {
  const visit = { contextId, need: 'read', action: 'contextEntries.get', entryKey: key } as const;
  return visited(dependencies, principal, visit, async (place) => {
    const entry = await entryAt(dependencies, place, key);
    if (entry === null) return null;
    dependencies.entries.touch(place.owner, [entry.id]);
    return contextEntryOf(entry, dependencies.clock.now());
  });
}

export function listEntries(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, limit, cursor, status, ...choice }: ListContextEntriesInput,
): Promise<ListContextEntriesOutput> {
  const { entries, clock } = dependencies;
  const visit = { contextId, need: 'read', action: 'contextEntries.list' } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const selection = { partitions: openTo(principal, place, status), filter: filterOf(choice) };
    const page = await pageOf<Entry>({
      list: { contextId, status, choice },
      cursor,
      limit,
      placeOf: ({ createdAt, id }) => ({ at: Date.parse(createdAt), id }),
      read: (count, after) =>
        entries.list(place.owner, selection, count, after && { createdAt: after.at, id: after.id }),
    });
    const shown = page.items.map((entry) => contextEntryOf(entry, clock.now()));
    return { entries: shown, count: shown.length, nextCursor: page.nextCursor };
  });
}

export function entryVersions(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, key }: ContextEntryKeyInput,
): Promise<ContextEntryVersionsOutput> {
  const visit = { contextId, need: 'read', action: 'contextEntries.versions', entryKey: key } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const { id } = orAbsent('entry', await entryAt(dependencies, place, key));
    const history = await versions(dependencies, place.owner, { id });
    const now = dependencies.clock.now();
    const isShown = ({ memory }: Version): boolean =>
      principal.agentId === undefined || memory.status !== 'quarantined';
    const shown = history
      .filter(isShown)
      .map(({ memory, replacedAt }) => ({ entry: contextEntryOf(memory, now), replacedAt }));
    return { versions: shown, count: shown.length };
  });
}

export function searchEntries(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, query, limit, threshold = DEFAULT_CONTEXT_THRESHOLD, mode, status, ...choice }: SearchContextInput,
): Promise<SearchContextOutput> {
  const visit = { contextId, need: 'read', action: 'contextEntries.search' } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const reach = { partitions: openTo(principal, place, status), filter: filterOf(choice) };
    const question = { query, limit, threshold, mode, rank: 'relevance' } as const;
    const found = await recall(dependencies, place.owner, reach, question);
    const now = dependencies.clock.now();
    const results = found.results.map(({ memory, score, similarity, signals }) => ({
      entry: contextEntryOf(memory, now),
      score,
      similarity,
      signals,
    }));
    const { total: totalCount, warnings } = found;
    return { results, count: results.length, totalCount, ...(warnings.length > 0 && { warnings }) };
  });
}

/** Whoever owns the context: an agent that asks is not shown what waits for review. */
function openTo({ agentId }: Principal, place: OpenContext, shelf: Shelf | undefined): Partition[] {
  return shelf === 'quarantined' && agentId !== undefined ? [] : partitionsOf(place, shelf);
}
