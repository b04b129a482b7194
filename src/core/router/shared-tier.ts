/** The shared tier: values of pools. Keys are dotted there. */

import { invalidField, LaminaError } from '../../domain/error.ts';
import { poolKeyInputSchema, type PoolValue } from '../../domain/pool-value.ts';
import type { Principal } from '../../domain/principal.ts';
import type { RoutedValue } from '../../domain/router.ts';
import type { Pools } from '../pools/pools.ts';
import type { TierAccess } from './tier.ts';

/** Where no pool is named, so many are looked into: those that were made last, the one that was changed last first. */
const MAX_POOLS = 50;
const AT_ONCE = 10;

export function sharedTier(pools: Pools): TierAccess {
  return {
    missing: ({ poolId }, deed) => (deed === 'write' && poolId === undefined ? 'poolId' : undefined),
    read: async (principal, { key, poolId }) => {
      // What is no key of a pool stands in none.
      if (problemWith(key) !== undefined) return null;
      const found =
        poolId === undefined ? await findAny(pools, principal, key) : await pools.read(principal, { poolId, key });
      return found && routed(found);
    },
    write: async (principal, { key, poolId = '', value, ttlSeconds }) => {
      const problem = problemWith(key);
      if (problem !== undefined) throw invalidField('key', problem);
      return routed(await pools.write(principal, { poolId, key, value, ttlSeconds }));
    },
    delete: () => {
      throw new LaminaError(
        'FORBIDDEN',
        'What is shared is not deleted by the router: others rely on it. Remove it from its pool instead.',
      );
    },
  };
}

function problemWith(key: string): string | undefined {
  return poolKeyInputSchema.shape.key.safeParse(key).error?.issues[0]?.message;
}

async function findAny(pools: Pools, principal: Principal, key: string): Promise<PoolValue | null> {
  const { pools: newest } = await pools.list(principal, { limit: MAX_POOLS });
  const inTurn = newest.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  for (let start = 0; start < inTurn.length; start += AT_ONCE) {
    const some = inTurn.slice(start, start + AT_ONCE);
    const found = await Promise.all(some.map(({ poolId }) => pools.read(principal, { poolId, key })));
    const first = found.find((value) => value !== null);
    if (first) return first;
  }
  return null;
}

function routed({ key, poolId, value, version, updatedAt, expiresAt }: PoolValue): RoutedValue {
  return { tier: 'shared', key, value, version, updatedAt, ...(expiresAt !== undefined && { expiresAt }), poolId };
}
