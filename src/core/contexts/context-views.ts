/** Looking at contexts: one, those that one may read, who has access, and who came. */

import type {
  Context,
  ContextAccess,
  ContextAccessibility,
  ContextAccessRecord,
  ContextAgentInput,
  ContextRecord,
  ListAccessesInput,
  ListAccessesOutput,
  ListContextsInput,
  ListContextsOutput,
} from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import { accessibilityOf, mayAccess, sharedShown } from '../../domain/sharing.ts';
import type { RecordStore, Where } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { recordPage } from '../records/page.ts';
import { isoAt, orAbsent } from '../records/record.ts';
import { openContext } from './open-context.ts';
import { visited } from './visit.ts';

export function getContext(
  dependencies: Dependencies,
  principal: Principal,
  contextId: string,
): Promise<Context | null> {
  const visit = { contextId, need: 'read', action: 'contexts.get' } as const;
  return visited(dependencies, principal, visit, async ({ context }) => sharedShown(principal, context));
}

/** A list shows no entries, and is not in the log of every context on it. */
export async function listContexts(
  { records }: Dependencies,
  principal: Principal,
  { type, scope, scopeId, status = 'active', limit, cursor }: ListContextsInput,
): Promise<ListContextsOutput> {
  const where: Where<ContextRecord> = {
    ...(type && { type: [type] }),
    ...(scope && { scope: [scope] }),
    ...(scopeId !== undefined && { scopeId: [scopeId] }),
    ...(status !== 'all' && { status: [status] }),
  };
  const { userId, agentId } = principal;
  const page = await pageOf<ContextRecord>({
    list: { list: 'contexts', userId, agentId, where },
    cursor,
    limit,
    placeOf: ({ createdAt, contextId }) => ({ at: Date.parse(createdAt), id: contextId }),
    read: (count, after) =>
      readableContexts(records.contexts, principal, where, count, after && { at: isoAt(after.at), key: after.id }),
  });
  const contexts = page.items.map((record) => sharedShown(principal, record));
  return { contexts, count: contexts.length, nextCursor: page.nextCursor };
}

/** A user sees all of their contexts, but an agent of theirs only its own and those that name it: the others are skipped. */
async function readableContexts(
  store: RecordStore<ContextRecord>,
  principal: Principal,
  where: Where<ContextRecord>,
  count: number,
  after: { at: string; key: string } | undefined,
): Promise<ContextRecord[]> {
  const found: ContextRecord[] = [];
  for (let place = after; ;) {
    const page = await store.list(principal, { where, limit: count, after: place });
    found.push(...page.filter((record) => mayAccess(principal, record, 'read')));
    const last = page.at(-1);
    if (last === undefined || page.length < count || found.length >= count) return found.slice(0, count);
    place = { at: last.createdAt, key: last.contextId };
  }
}

/** Who has access is the owner's to ask; others may ask about themselves. */
export async function accessibleBy(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, agentId }: ContextAgentInput,
): Promise<ContextAccessibility> {
  const { context } = orAbsent('context', await openContext(dependencies, principal, contextId, 'read'));
  return { contextId, agentId, ...accessibilityOf(principal, context, agentId) };
}

export async function listAccesses(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, limit, cursor }: ListAccessesInput,
): Promise<ListAccessesOutput> {
  const { owner } = orAbsent('context', await openContext(dependencies, principal, contextId, 'manage'));
  const page = await recordPage(dependencies.records.contextAccesses, owner, {
    list: 'contextAccesses',
    where: { contextId: [contextId] },
    limit,
    cursor,
    place: ({ createdAt, accessId }) => [createdAt, accessId],
  });
  const accesses = page.items.map(accessShown);
  return { accesses, count: accesses.length, nextCursor: page.nextCursor };
}

function accessShown({ accessId, actorId, agentId, action, entryKey, createdAt }: ContextAccessRecord): ContextAccess {
  return {
    accessId,
    actorId,
    ...(agentId !== undefined && { agentId }),
    action,
    ...(entryKey !== undefined && { entryKey }),
    at: createdAt,
  };
}
