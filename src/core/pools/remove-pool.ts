/** Removing a pool with all of its values, so that none of them turns up in the next pool of that name. */

import { LaminaError } from '../../domain/error.ts';
import { poolNamespace } from '../../domain/namespace.ts';
import type { PoolRecord } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { ownerPrincipal, ownsShared } from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { findPool } from './pool-access.ts';

/** No pool can be created with this expiry: it marks that the pool is being removed, since its last change. */
const REMOVING = isoAt(0);
/** A removal that takes longer is considered dead. */
const LEASE_MS = 60_000;

type Needs = Pick<Dependencies, 'records' | 'state' | 'clock'>;

function isBeingRemoved({ expiresAt, updatedAt }: PoolRecord, now: number): boolean {
  return expiresAt === REMOVING && now - Date.parse(updatedAt) < LEASE_MS;
}

/** Throws `FORBIDDEN` when the principal may see it but does not own it. False when it was not there. */
export async function deletePool(needs: Needs, principal: Principal, poolId: string): Promise<boolean> {
  const pool = await findPool(needs, principal, poolId);
  if (pool === null) return false;
  if (!ownsShared(principal, pool)) throw new LaminaError('FORBIDDEN', 'Only its owner can delete this pool.');
  return removePool(needs, principal.tenantId, pool);
}

/**
 * Runs as its owner. First the pool is hidden, so that nobody starts to write to it; then its values are deleted, and last
 * the pool itself, because a database may show values only to those who can see their pool. Only one process does so at a
 * time: a second one could clear the values of the next pool of that name. If interrupted, it is an expired pool and can be
 * removed again. False if it was gone, or if another process is removing it.
 */
export async function removePool(needs: Needs, tenantId: string, pool: PoolRecord): Promise<boolean> {
  const { records, state, clock } = needs;
  const owner = ownerPrincipal({ tenantId }, pool);
  const now = clock.now();
  try {
    const hidden = await records.pools.change(owner, pool.poolId, (current) => {
      if (current.createdAt !== pool.createdAt || isBeingRemoved(current, now)) throw gone();
      return { ...current, expiresAt: REMOVING, updatedAt: isoAt(now) };
    });
    if (hidden === null) return false;
    await state.clear(owner, poolNamespace(pool.poolId));
    const removed = await records.pools.remove(owner, pool.poolId, ({ version }) => {
      if (version !== hidden.version) throw gone();
    });
    return removed !== null;
  } catch (error) {
    if (error instanceof LaminaError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

function gone(): LaminaError {
  return new LaminaError('NOT_FOUND', 'Somebody else removes this pool, or has done so.');
}
