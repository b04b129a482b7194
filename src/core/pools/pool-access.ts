/** Finding a pool, for whoever may read, write or manage it. */

import { LaminaError } from '../../domain/error.ts';
import type { Pool, PoolRecord } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { mayAccess, ownsShared, sharedShown } from '../../domain/sharing.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Dependencies } from '../dependencies.ts';
import { orAbsent } from '../records/record.ts';

type Needs = Pick<Dependencies, 'records' | 'clock'>;

/** Whether it has not expired. */
export function isThere(pool: Pool, now: number): boolean {
  return !hasExpired(pool, now);
}

export function poolShown(principal: Principal, record: PoolRecord): Pool {
  return sharedShown(principal, record);
}

/** Null when it is not there, or not the principal's to read. */
export async function findPool(
  { records, clock }: Needs,
  principal: Principal,
  poolId: string,
): Promise<PoolRecord | null> {
  const pool = await records.pools.get(principal, poolId);
  return pool !== null && isThere(pool, clock.now()) && mayAccess(principal, pool, 'read') ? pool : null;
}

export async function readablePool(needs: Needs, principal: Principal, poolId: string): Promise<PoolRecord> {
  return orAbsent('pool', await findPool(needs, principal, poolId));
}

export async function writablePool(needs: Needs, principal: Principal, poolId: string): Promise<PoolRecord> {
  const pool = await readablePool(needs, principal, poolId);
  if (mayAccess(principal, pool, 'write')) return pool;
  throw new LaminaError('FORBIDDEN', 'You may read this pool, but not write to it. Its owner can grant you that.');
}

export async function ownedPool(needs: Needs, principal: Principal, poolId: string): Promise<PoolRecord> {
  const pool = await readablePool(needs, principal, poolId);
  if (ownsShared(principal, pool)) return pool;
  throw new LaminaError('FORBIDDEN', 'Only its owner manages this pool.');
}
