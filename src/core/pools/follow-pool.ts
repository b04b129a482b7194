/** Follows what happens to the values of a pool, for as long as the pool is there to be read. */

import type { FollowPoolInput } from '../../domain/pool-value.ts';
import type { PoolChange } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { Dependencies } from '../dependencies.ts';
import { follow } from '../events/follow.ts';
import { readablePool } from './pool-access.ts';

/** There is no event for a revoked grant or an expired pool: followers are checked again after this long. */
const CHECK_MS = 5_000;

/**
 * As {@link follow}; throws `NOT_FOUND` at the beginning when the pool is not there, and later when it is gone, has expired
 * or may not be read any more.
 */
export function followPool(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, after }: FollowPoolInput,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<PoolChange>, void> {
  const { events } = dependencies;
  const source = {
    head: async () => {
      await readablePool(dependencies, principal, poolId);
      return events.head(principal);
    },
    read: async (position: string, limit: number) => {
      const page = await events.readPool(principal, poolId, position, limit);
      // After reading: events after access was revoked are not delivered.
      await readablePool(dependencies, principal, poolId);
      return page;
    },
    watch: (wake: () => void) => {
      const unwatch = events.watch(principal.tenantId, wake);
      const timer = setInterval(wake, CHECK_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        unwatch();
      };
    },
  };
  return follow(source, after, signal);
}
