/** Following entries: each event with its entry, as far as it can be seen. */

import type { Entry } from '../../domain/entry.ts';
import type { Event } from '../../domain/event.ts';
import type { KnowledgeEvent, StreamKnowledgeInput } from '../../domain/openspec-query.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import { canSee } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { createEvents } from '../events/events.ts';
import { isOutsideContexts } from '../scoping.ts';
import { knowledgeEntryOf } from './knowledge-fields.ts';

/** The position is that of the log, so that skipped events neither block a follower nor are read again. */
export async function* followKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  { after }: StreamKnowledgeInput,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<KnowledgeEvent>, void> {
  for await (const { items, position } of createEvents(dependencies).follow(principal, { after }, signal)) {
    yield { items: await withEntries(dependencies, principal, items), position };
  }
}

/** One read per page. An entry that was deleted or became invisible meanwhile is reported by its id only. */
async function withEntries(
  { entries }: Dependencies,
  principal: Principal,
  events: readonly Event[],
): Promise<KnowledgeEvent[]> {
  const wanted = new Set(events.filter(({ type }) => type !== 'deleted').map(({ memoryId }) => memoryId));
  const found = wanted.size === 0 ? [] : await entries.find(principal, [...wanted]);
  const byId = new Map(found.map((entry) => [entry.id, entry]));
  return events
    .filter(({ memoryId }) => isOwnKind(byId.get(memoryId)))
    .map(({ id, type, memoryId, version, at }) => {
      const entry = type === 'deleted' ? undefined : byId.get(memoryId);
      const isSeen = entry !== undefined && canSee(principal, entry);
      const shown = isSeen ? { entry: knowledgeEntryOf(entry) } : {};
      return { id, type, entryId: memoryId, ...shown, version, timestamp: at };
    });
}

/** Entries of a context are followed only through it. */
function isOwnKind(entry: Entry | undefined): boolean {
  return entry === undefined || isOutsideContexts(entry);
}
