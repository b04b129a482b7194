/** How much there is in each tier, for an agent and a session. */

import { reachOf } from '../../domain/access.ts';
import { agentNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { RouterStats, RouterStatsInput } from '../../domain/router.ts';
import { KINDS } from '../../domain/kind.ts';
import { scopeOf, type Scope } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownAgent } from '../own-agent.ts';
import type { Pools } from '../pools/pools.ts';
import type { Routed } from './router.ts';

/** Pages of pools that are counted. */
const MAX_PAGES = 10;
const PAGE = 100;

export async function statsOf(
  dependencies: Dependencies,
  { shortTerm, pools }: Pick<Routed, 'shortTerm' | 'pools'>,
  principal: Principal,
  { agentId: named, sessionId, taskId = '' }: RouterStatsInput,
): Promise<RouterStats> {
  const { entries, hot } = dependencies;
  const agentId = ownAgent(principal, named);
  const { userId, tenantId } = principal;
  const count = (scopes: readonly Scope[], shelf: 'active' | 'archived'): Promise<number> =>
    entries.count(principal, { partitions: reachOf(principal, scopes, KINDS, shelf) });
  const user = scopeOf('user', { userId });
  const agent = agentId === undefined ? undefined : scopeOf('agent', { userId, agentId });
  const [working, session, users, agents, archivedCount, poolCount, memoryCount] = await Promise.all([
    agentId === undefined ? null : hot.measure(principal, agentNamespace(userId, agentId, taskId)),
    sessionId === undefined ? null : shortTerm.stats(principal, { sessionId, agentId }),
    count([user], 'active'),
    agent && count([agent], 'active'),
    count(agent ? [user, agent] : [user], 'archived'),
    countPools(pools, principal),
    count([scopeOf('company', { companyId: tenantId })], 'active'),
  ]);
  return {
    workingMemory: working && { count: working.count, bytes: working.bytes },
    shortTerm: session && { count: session.count, bytes: session.bytes, accesses: session.accesses },
    longTerm: {
      count: users + (agents ?? 0),
      archivedCount,
      layers: { ...(agents !== undefined && { agent: agents }), user: users },
    },
    shared: { poolCount, memoryCount },
  };
}

async function countPools(pools: Pools, principal: Principal): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed: Awaited<ReturnType<Pools['list']>> = await pools.list(principal, {
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    });
    count += listed.count;
    cursor = listed.nextCursor;
    if (cursor === null) break;
  }
  return count;
}
