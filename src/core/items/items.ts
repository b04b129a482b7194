/** The memory items of an agent: what its entity stores, retrieves, lists and forgets. They are entries, and nothing else. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { assertWithin } from '../../domain/limits.ts';
import type {
  ItemsForgetInput,
  ItemsForgetOutput,
  ItemsListInput,
  ItemsListOutput,
  ItemsRetrieveInput,
  ItemsRetrieveOutput,
  ItemsStoreInput,
  ItemsStoreOutput,
} from '../../domain/memory-item.ts';
import type { Principal } from '../../domain/principal.ts';
import { DEFAULT_TURN_LIMIT, DEFAULT_TURN_THRESHOLD } from '../../domain/turn.ts';
import type { Dependencies } from '../dependencies.ts';
import { forgetSelected } from '../forget/forget.ts';
import { ownAgent } from '../own-agent.ts';
import { pageOf } from '../paging/page.ts';
import { recall } from '../recall/recall.ts';
import { addDrafts } from '../remember/add.ts';
import { identityOf, type Draft } from '../remember/draft.ts';
import { isItemOf, itemOf, LAYER_OF } from './item.ts';
import { itemDrafts, requiredProject } from './item-draft.ts';
import { itemReach } from './item-reach.ts';
import { answeredOnce } from './requests.ts';

/** All of it throws `FORBIDDEN` where an agent that is asking names another one. */
export interface Items {
  /** All or none; with a request id once, however often it is sent. */
  store(principal: Principal, input: ItemsStoreInput): Promise<ItemsStoreOutput>;
  retrieve(principal: Principal, input: ItemsRetrieveInput): Promise<ItemsRetrieveOutput>;
  /** Newest first. */
  list(principal: Principal, input: ItemsListInput): Promise<ItemsListOutput>;
  /** What meets every given condition; nothing of it is left to find. */
  forget(principal: Principal, input: ItemsForgetInput): Promise<ItemsForgetOutput>;
}

export function createItems(dependencies: Dependencies): Items {
  return {
    store: (principal, input) => store(dependencies, principal, input),
    retrieve: (principal, input) => retrieve(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    forget: (principal, input) => forgetItems(dependencies, principal, input),
  };
}

async function store(
  dependencies: Dependencies,
  principal: Principal,
  input: ItemsStoreInput,
): Promise<ItemsStoreOutput> {
  ownAgent(principal, input.agentId);
  assertWithin('LIMIT_EXCEEDED', 'The batch', input.items.length, dependencies.limits.batchSize, 'items');
  const drafts = itemDrafts(dependencies, principal, input);
  const storedIds = await answeredOnce<string[]>(
    dependencies,
    principal,
    'store',
    input,
    () => idsOf(dependencies, principal, drafts),
    (ids) => ({ type: 'set', value: ids }),
  );
  return { storedIds };
}

/** What this very request has stored before stays as it is, also where it was changed since. */
async function idsOf(dependencies: Dependencies, principal: Principal, drafts: readonly Draft[]): Promise<string[]> {
  const known = await dependencies.entries.findSame(principal, drafts.map(identityOf));
  const isDone = (draft: Draft, index: number): boolean =>
    draft.placement.kind === 'episodic' && draft.isKnownByName === true && known[index] != null;
  const added = await addDrafts(
    dependencies,
    principal,
    drafts.filter((draft, index) => !isDone(draft, index)),
  );
  const ids = added.map(({ memory }) => memory.id);
  return drafts.flatMap((draft, index) => (isDone(draft, index) ? known[index]?.id : ids.shift()) ?? []);
}

async function retrieve(
  dependencies: Dependencies,
  principal: Principal,
  { agentId, tier, scope, sessionId, projectId, query, mode, ...bounds }: ItemsRetrieveInput,
): Promise<ItemsRetrieveOutput> {
  ownAgent(principal, agentId);
  const where = { agentId, tier, scope, sessionId, projectId };
  const { reach, warnings } = await itemReach(dependencies, principal, where);
  // As for the context of a turn, because that is what items are asked for: by a message, and not by a question.
  const { limit = DEFAULT_TURN_LIMIT, threshold = DEFAULT_TURN_THRESHOLD } = bounds;
  const question = { query, mode, limit, threshold, rank: 'relevance' } as const;
  const found = await recall(dependencies, principal, reach, question);
  const items = found.results.map(({ memory }) => itemOf(memory));
  return { items, count: items.length, ...warned([...warnings, ...found.warnings]) };
}

async function list(
  dependencies: Dependencies,
  principal: Principal,
  { cursor, limit, ...where }: ItemsListInput,
): Promise<ItemsListOutput> {
  ownAgent(principal, where.agentId);
  const { reach, warnings } = await itemReach(dependencies, principal, where);
  const { items, nextCursor } = await pageOf<Entry>({
    list: { items: where, userId: principal.userId },
    cursor,
    limit,
    placeOf: ({ createdAt, id }) => ({ at: Date.parse(createdAt), id }),
    read: (count, after) =>
      dependencies.entries.list(principal, reach, count, after && { createdAt: after.at, id: after.id }),
  });
  return { items: items.map(itemOf), count: items.length, nextCursor, ...warned(warnings) };
}

function warned(warnings: readonly string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings: [...warnings] } : {};
}

async function forgetItems(
  dependencies: Dependencies,
  principal: Principal,
  input: ItemsForgetInput,
): Promise<ItemsForgetOutput> {
  const { agentId, cutoffDate, scope, itemIds, sessionId, projectId } = input;
  ownAgent(principal, agentId);
  assertWithin('LIMIT_EXCEEDED', 'The list of ids', itemIds?.length ?? 0, dependencies.limits.batchSize, 'ids');
  if ([cutoffDate, scope, itemIds, sessionId].every((condition) => condition === undefined)) {
    // Without names of fields: over HTTP they are spelled differently.
    throw new LaminaError(
      'VALIDATION_FAILED',
      'Say what to forget: a cutoff date, a scope, ids of items or a session, or several of these.',
    );
  }
  if (scope === 'ProjectScope' && itemIds === undefined) requiredProject(projectId);
  // Over everything of the user's, and not place by place: nothing may be overlooked, however many sessions there are.
  const selection = {
    ids: itemIds,
    createdBefore: cutoffDate === undefined ? undefined : Date.parse(cutoffDate),
    ownerId: principal.userId,
    identifiers: { agentId, ...(sessionId !== undefined && { sessionId }) },
  };
  const isThere = ({ layer, identifiers }: Entry): boolean =>
    (scope === undefined || layer === LAYER_OF[scope]) &&
    (layer !== 'project' || projectId === undefined || identifiers.projectId === projectId);
  const isMeant = (entry: Entry): boolean => isItemOf(entry, principal.userId, agentId) && isThere(entry);
  const deletedCount = await answeredOnce<number>(
    dependencies,
    principal,
    'forget',
    input,
    () => forgetSelected(dependencies, principal, selection, isMeant),
    (count) => ({ type: 'increment', by: count }),
  );
  return { deletedCount };
}
