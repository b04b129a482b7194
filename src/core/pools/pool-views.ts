/** Looking at pools: which there are, who may use one, and how much is in it. */

import { invalidField } from '../../domain/error.ts';
import { poolNamespace } from '../../domain/namespace.ts';
import {
  POOL_TYPES,
  type ListPoolsInput,
  type ListPoolsOutput,
  type Pool,
  type PoolAccess,
  type PoolAgentInput,
  type PoolRecord,
  type PoolStatistics,
} from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { accessibilityOf, mayAccess } from '../../domain/sharing.ts';
import type { RecordQuery, Where } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { isoAt } from '../records/record.ts';
import { isThere, poolShown, readablePool } from './pool-access.ts';

export async function listPools(
  dependencies: Dependencies,
  principal: Principal,
  { limit, cursor, ...filter }: ListPoolsInput,
): Promise<ListPoolsOutput> {
  const { userId, agentId } = principal;
  const where = whereOf(filter);
  const { items, nextCursor } = await pageOf<PoolRecord>({
    list: { list: 'pools', userId, agentId, where },
    cursor,
    limit,
    placeOf: ({ createdAt, poolId }) => ({ at: Date.parse(createdAt), id: poolId }),
    read: (count, after) =>
      accessible(dependencies, principal, where, count, after && { at: isoAt(after.at), key: after.id }),
  });
  return { pools: items.map((pool) => poolShown(principal, pool)), count: items.length, nextCursor };
}

/** Pools of a workflow are for those who can name its run: they are not listed otherwise. */
function whereOf({ type, scope, scopeId, workflowRunId }: ListPoolsInput): Where<PoolRecord> {
  const plain: readonly Pool['type'][] = POOL_TYPES;
  if (workflowRunId === undefined && type !== undefined && !plain.includes(type)) {
    throw invalidField('workflowRunId', `is needed: pools of type ${type} are those of a run of a workflow`);
  }
  const types = type !== undefined ? [type] : workflowRunId === undefined ? plain : undefined;
  return {
    ...(types && { type: types }),
    ...(scope && { scope: [scope] }),
    ...(scopeId !== undefined && { scopeId: [scopeId] }),
    ...(workflowRunId !== undefined && { workflowRunId: [workflowRunId] }),
  };
}

/** The database shows a little more than what is the principal's to read: what has expired, and what is another agent's. */
async function accessible(
  { records, clock }: Dependencies,
  principal: Principal,
  where: Where<PoolRecord>,
  count: number,
  after: RecordQuery<PoolRecord>['after'],
): Promise<PoolRecord[]> {
  const now = clock.now();
  const found: PoolRecord[] = [];
  for (;;) {
    const seen = await records.pools.list(principal, { where, limit: count, after });
    found.push(...seen.filter((pool) => isThere(pool, now) && mayAccess(principal, pool, 'read')));
    const last = seen.at(-1);
    if (last === undefined || seen.length < count || found.length >= count) return found.slice(0, count);
    after = { at: last.createdAt, key: last.poolId };
  }
}

/** Who has access is the owner's to ask; others may ask about themselves. */
export async function accessibleBy(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, agentId }: PoolAgentInput,
): Promise<PoolAccess> {
  const pool = await readablePool(dependencies, principal, poolId);
  return { poolId, agentId, ...accessibilityOf(principal, pool, agentId) };
}

export async function statistics(
  { state }: Dependencies,
  principal: Principal,
  { poolId }: PoolRecord,
): Promise<PoolStatistics> {
  const { count, bytes, accesses } = await state.measure(principal, poolNamespace(poolId));
  return { poolId, entryCount: count, bytes, accesses };
}
