/** The shared tier: values of pools. Keys are dotted there. */

import { invalidField, LaminaError } from '../../domain/error.ts';
import { poolNamespace } from '../../domain/namespace.ts';
import { partsOf, poolKeyInputSchema, type PoolValue } from '../../domain/pool-value.ts';
import type { Principal } from '../../domain/principal.ts';
import type { RoutedValue } from '../../domain/router.ts';
import { valueWithin } from '../../domain/state.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Pools } from '../pools/pools.ts';
import { poolsInTurn } from './pools-in-turn.ts';
import type { TierAccess } from './tier.ts';

/** How many pools are looked into at once. */
const AT_ONCE = 10;

export function sharedTier(dependencies: Dependencies, pools: Pools): TierAccess {
  return {
    missing: ({ poolId }, deed) => (deed === 'write' && poolId === undefined ? 'poolId' : undefined),
    read: async (principal, { key, poolId }) => {
      // An invalid key is in no pool.
      if (problemWith(key) !== undefined) return null;
      const found =
        poolId === undefined
          ? await findAny(dependencies, pools, principal, key)
          : await pools.read(principal, { poolId, key });
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

/** In the first group of pools that has it at all: the value that was changed last. Only that one counts as read. */
async function findAny(
  dependencies: Dependencies,
  pools: Pools,
  principal: Principal,
  key: string,
): Promise<PoolValue | null> {
  for await (const group of poolsInTurn(dependencies, principal)) {
    for (const poolId of await holders(dependencies, principal, group, key)) {
      const found = await pools.read(principal, { poolId, key });
      if (found !== null) return found;
    }
  }
  return null;
}

/** Those of the pools that hold the key, the one whose value was changed last first. */
async function holders(
  { state }: Dependencies,
  principal: Principal,
  poolIds: readonly string[],
  key: string,
): Promise<string[]> {
  const [first, ...path] = partsOf(key);
  const holding: { readonly poolId: string; readonly version: number }[] = [];
  for (let start = 0; start < poolIds.length; start += AT_ONCE) {
    const some = poolIds.slice(start, start + AT_ONCE);
    const items = await Promise.all(some.map(async (poolId) => state.get(principal, poolNamespace(poolId), first)));
    for (const [at, poolId] of some.entries()) {
      const item = items[at];
      if (!item || valueWithin(item.value, path) === undefined) continue;
      holding.push({ poolId, version: item.version });
    }
  }
  // Versions grow with every write in the tenant, several of which may have the same time.
  const latestFirst = holding.toSorted((a, b) => b.version - a.version);
  return latestFirst.map(({ poolId }) => poolId);
}

function routed({ key, poolId, value, version, updatedAt, expiresAt }: PoolValue): RoutedValue {
  return { tier: 'shared', key, value, version, updatedAt, ...(expiresAt !== undefined && { expiresAt }), poolId };
}
