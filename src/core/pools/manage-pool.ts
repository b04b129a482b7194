/** What the owner of a pool changes about it. */

import { invalidField } from '../../domain/error.ts';
import type { GrantPoolInput, Pool, PoolAgentInput, PoolRecord, UpdatePoolInput } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { accessOf, assertMetadata, granted, membersOf, revoked, type AccessControl } from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertVersion, isoAt, merged, orAbsent } from '../records/record.ts';
import { isThere, ownedPool, poolShown } from './pool-access.ts';
import { assertAccess, assertShareable, expiryOf } from './pool-rules.ts';

export function update(dependencies: Dependencies, principal: Principal, input: UpdatePoolInput): Promise<Pool> {
  const { poolId, ifVersion, access, expiresAt, ttlSeconds, ...fields } = input;
  assertMetadata(fields.metadata, dependencies.limits);
  if (expiresAt === null && ttlSeconds !== undefined)
    throw invalidField('ttlSeconds', 'does not go with having no end: say one of the two');
  const end = expiryOf(dependencies.clock.now(), { expiresAt: expiresAt ?? undefined, ttlSeconds });
  return change(dependencies, principal, poolId, (current) => {
    assertVersion(current, ifVersion);
    const { expiresAt: before, ...rest } = merged(current, fields);
    if (access !== undefined && current.workflowRunId !== undefined) assertShareable(current, 'access');
    const next = access === undefined ? current.access : accessOf(access);
    assertAccess(current, next);
    const until = end ?? (expiresAt === null ? undefined : before);
    return { ...rest, access: next, ...(until !== undefined && { expiresAt: until }) };
  });
}

export function grant(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, agentId, level }: GrantPoolInput,
): Promise<Pool> {
  return change(dependencies, principal, poolId, (current) => {
    assertShareable(current, 'agentId');
    return withAccess(current, granted(current.access, agentId, level));
  });
}

export function revoke(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, agentId }: PoolAgentInput,
): Promise<Pool> {
  return change(dependencies, principal, poolId, (current) => withAccess(current, revoked(current.access, agentId)));
}

function withAccess(current: PoolRecord, access: AccessControl): PoolRecord {
  return { ...current, access };
}

/** Who may see it follows from the list, in the same write: a grant that is revoked stops at once. */
async function change(
  dependencies: Dependencies,
  principal: Principal,
  poolId: string,
  next: (current: PoolRecord) => PoolRecord,
): Promise<Pool> {
  const { records, clock } = dependencies;
  await ownedPool(dependencies, principal, poolId);
  const changed = await records.pools.change(principal, poolId, (current) => {
    const now = clock.now();
    const pool = next(orAbsent('pool', isThere(current, now) ? current : null));
    return { ...pool, members: membersOf(pool.access), updatedAt: isoAt(now) };
  });
  return poolShown(principal, orAbsent('pool', changed));
}
