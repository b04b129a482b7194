/** Making a pool: what it is about, whose it is, who may use it, and until when. */

import { invalidField } from '../../domain/error.ts';
import {
  DEFAULT_POOL_SCOPES,
  type CreatePoolInput,
  type Pool,
  type PoolRecord,
  type PoolScope,
} from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { accessOf, assertMetadata, membersOf } from '../../domain/sharing.ts';
import type { CreateWorkflowPoolInput } from '../../domain/workflow.ts';
import type { Draft } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, taken } from '../records/record.ts';
import { isThere, poolShown } from './pool-access.ts';
import { assertAccess, expiryOf } from './pool-rules.ts';
import { removePool } from './remove-pool.ts';

export function createPool(dependencies: Dependencies, principal: Principal, input: CreatePoolInput): Promise<Pool> {
  const { type = 'shared', access, ...given } = input;
  const scope = input.scope ?? DEFAULT_POOL_SCOPES[type];
  const scopeId = scopeIdOf(principal, scope, input.scopeId);
  const isPrivate = type === 'agent_private';
  const agentId = isPrivate ? privateAgentOf(principal, scope, scopeId) : principal.agentId;
  return insert(dependencies, principal, given, {
    type,
    scope,
    ...(scopeId !== undefined && { scopeId }),
    ...(agentId !== undefined && { agentId }),
    access: accessOf(access ?? { publicRead: type === 'shared' }),
  });
}

/** Everyone sees it who can name it; that they may write to it too follows from its run. */
export function createWorkflowPool(
  dependencies: Dependencies,
  principal: Principal,
  { workflowRunId, type = 'shared_memory', ...given }: CreateWorkflowPoolInput,
): Promise<Pool> {
  return insert(dependencies, principal, given, {
    type,
    scope: 'task',
    scopeId: workflowRunId,
    workflowRunId,
    ...(principal.agentId !== undefined && { agentId: principal.agentId }),
    access: accessOf({ publicRead: true }),
  });
}

function scopeIdOf(principal: Principal, scope: PoolScope, given: string | undefined): string | undefined {
  switch (scope) {
    case 'agent':
      return given ?? principal.agentId ?? principal.userId;
    case 'team':
    case 'task':
      if (given === undefined) throw invalidField('scopeId', `is needed: which ${scope} is it about`);
      return given;
    default:
      if (given !== undefined) throw invalidField('scopeId', 'goes with the scopes team, agent and task');
      return undefined;
  }
}

/** The agent that is asking; a user as such may make one for an agent of theirs. */
function privateAgentOf(
  { userId, agentId }: Principal,
  scope: PoolScope,
  scopeId: string | undefined,
): string | undefined {
  if (scope !== 'agent') throw invalidField('scope', 'is "agent" for an agent_private pool');
  if (agentId === undefined) return scopeId === userId ? undefined : scopeId;
  if (scopeId !== agentId)
    throw invalidField('scopeId', 'is not the agent that is asking, whose private pool it would be');
  return agentId;
}

type Given = Pick<CreatePoolInput, 'poolId' | 'name' | 'metadata' | 'expiresAt' | 'ttlSeconds'>;
type Made = Pick<Pool, 'type' | 'scope' | 'scopeId' | 'agentId' | 'workflowRunId' | 'access'>;

async function insert(dependencies: Dependencies, principal: Principal, given: Given, made: Made): Promise<Pool> {
  const { clock, ids, limits } = dependencies;
  const { poolId = ids.next(), name, metadata = {} } = given;
  assertMetadata(metadata, limits);
  assertAccess(made, made.access);
  const now = clock.now();
  const expiresAt = expiryOf(now, given);
  return store(dependencies, principal, {
    poolId,
    ownerId: principal.userId,
    ...made,
    ...(name !== undefined && { name }),
    metadata,
    members: membersOf(made.access),
    ...(expiresAt !== undefined && { expiresAt }),
    createdAt: isoAt(now),
    updatedAt: isoAt(now),
  });
}

/** Where an expired pool still has the id, that one is removed first. */
async function store(dependencies: Dependencies, principal: Principal, draft: Draft<PoolRecord>): Promise<Pool> {
  const { records, clock } = dependencies;
  const { poolId } = draft;
  for (let round = 1; round <= 2; round += 1) {
    const pool = await records.pools.create(principal, draft);
    if (pool !== null) return poolShown(principal, pool);
    const old = await records.pools.get(principal, poolId);
    if (old === null || isThere(old, clock.now()) || !(await removePool(dependencies, principal.tenantId, old))) break;
  }
  throw taken('pool', poolId);
}
