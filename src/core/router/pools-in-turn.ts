/**
 * The pools that the principal may read, in search order. Anybody can create a public pool, so those come last, and do not
 * count towards the limits of the groups before.
 */

import { POOL_TYPES, type PoolRecord } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { standingOf, type Standing } from '../../domain/sharing.ts';
import type { RecordQuery, Relation } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isThere } from '../pools/pool-access.ts';

/** Of each group: those that were made last. */
const MAX_POOLS = 50;

/** The ids of the principal's own pools, then of those with a grant, then of those that everyone may read. */
export async function* poolsInTurn(dependencies: Dependencies, principal: Principal): AsyncGenerator<string[]> {
  const newest = (standing: Standing, relation: Relation): Promise<PoolRecord[]> =>
    newestOf(dependencies, principal, standing, relation);
  yield idsOf(await newest('owner', 'owner'));
  const granted = await newest('member', 'member');
  // An agent does not own its user's pools; it sees them as a member.
  if (principal.agentId !== undefined) granted.push(...(await newest('member', 'owner')));
  const newestFirst = granted.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  yield idsOf(newestFirst.slice(0, MAX_POOLS));
  yield idsOf(await newest('everyone', 'everyone'));
}

function idsOf(pools: readonly PoolRecord[]): string[] {
  return pools.map(({ poolId }) => poolId);
}

/** The database shows a little more than that: what has expired, and what is another agent's. */
async function newestOf(
  { records, clock }: Dependencies,
  principal: Principal,
  standing: Standing,
  relation: Relation,
): Promise<PoolRecord[]> {
  const now = clock.now();
  const found: PoolRecord[] = [];
  let after: RecordQuery<PoolRecord>['after'];
  for (;;) {
    // Pools of a workflow are for those who can name its run.
    const query = { where: { type: POOL_TYPES }, relation, limit: MAX_POOLS, after };
    const page = await records.pools.list(principal, query);
    found.push(...page.filter((pool) => isThere(pool, now) && standingOf(principal, pool) === standing));
    const last = page.at(-1);
    if (last === undefined || page.length < MAX_POOLS || found.length >= MAX_POOLS) return found.slice(0, MAX_POOLS);
    after = { at: last.createdAt, key: last.poolId };
  }
}
