/** Pools: values that several agents share. Access is decided here; the values of a pool belong to its owner. */

import type {
  AppendPoolInput,
  FollowPoolInput,
  IncrementPoolInput,
  ListPoolValuesInput,
  ListPoolValuesOutput,
  MergePoolInput,
  PoolKeyInput,
  PoolValue,
  RemovePoolValueInput,
  WritePoolInput,
} from '../../domain/pool-value.ts';
import type {
  CreatePoolInput,
  GrantPoolInput,
  ListPoolsInput,
  ListPoolsOutput,
  Pool,
  PoolAccess,
  PoolAgentInput,
  PoolChange,
  PoolStatistics,
  UpdatePoolInput,
} from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { Dependencies } from '../dependencies.ts';
import { createPool } from './create-pool.ts';
import { followPool } from './follow-pool.ts';
import { grant, revoke, update } from './manage-pool.ts';
import { findPool, poolShown, readablePool } from './pool-access.ts';
import { accessibleBy, listPools, statistics } from './pool-views.ts';
import { append, increment, readAll, merge, read, removeValue, write } from './pool-values.ts';
import { deletePool } from './remove-pool.ts';

/**
 * A pool that has expired or that the principal may not read does not exist for it: `NOT_FOUND`, or null for a lookup.
 * Writing to or managing one that it may only read is `FORBIDDEN`.
 */
export interface Pools {
  /** Throws `VERSION_CONFLICT` when the id is taken, also by a pool that cannot be seen. */
  create(principal: Principal, input: CreatePoolInput): Promise<Pool>;
  get(principal: Principal, poolId: string): Promise<Pool | null>;
  /** Those that the principal may read. */
  list(principal: Principal, input: ListPoolsInput): Promise<ListPoolsOutput>;
  /** Throws `VERSION_CONFLICT`. */
  update(principal: Principal, input: UpdatePoolInput): Promise<Pool>;
  /** With all that is in it. False when it was not there. */
  delete(principal: Principal, poolId: string): Promise<boolean>;
  /** Counts an access. */
  read(principal: Principal, input: PoolKeyInput): Promise<PoolValue | null>;
  /** Every value under its first part; counts nothing. */
  readAll(principal: Principal, input: ListPoolValuesInput): Promise<ListPoolValuesOutput>;
  /**
   * This one and the next three throw `VERSION_CONFLICT`, `LIMIT_EXCEEDED`, and `VALIDATION_FAILED` where something stands
   * there that they cannot walk through or change; each is atomic, and changes nothing when it throws.
   */
  write(principal: Principal, input: WritePoolInput): Promise<PoolValue>;
  merge(principal: Principal, input: MergePoolInput): Promise<PoolValue>;
  append(principal: Principal, input: AppendPoolInput): Promise<PoolValue>;
  increment(principal: Principal, input: IncrementPoolInput): Promise<PoolValue>;
  /** False when nothing was there. Throws `VERSION_CONFLICT`. */
  remove(principal: Principal, input: RemovePoolValueInput): Promise<boolean>;
  grant(principal: Principal, input: GrantPoolInput): Promise<Pool>;
  /** Holds from the next call on. */
  revoke(principal: Principal, input: PoolAgentInput): Promise<Pool>;
  /** Throws `FORBIDDEN` where somebody asks about others who does not own it. */
  accessibleBy(principal: Principal, input: PoolAgentInput): Promise<PoolAccess>;
  statistics(principal: Principal, poolId: string): Promise<PoolStatistics>;
  /** See {@link followPool}. */
  follow(principal: Principal, input: FollowPoolInput, signal: AbortSignal): AsyncIterable<StreamPage<PoolChange>>;
}

export function createPools(dependencies: Dependencies): Pools {
  return {
    create: (principal, input) => createPool(dependencies, principal, input),
    get: async (principal, poolId) => {
      const pool = await findPool(dependencies, principal, poolId);
      return pool && poolShown(principal, pool);
    },
    list: (principal, input) => listPools(dependencies, principal, input),
    update: (principal, input) => update(dependencies, principal, input),
    delete: (principal, poolId) => deletePool(dependencies, principal, poolId),
    read: (principal, input) => read(dependencies, principal, input),
    readAll: (principal, input) => readAll(dependencies, principal, input),
    write: (principal, input) => write(dependencies, principal, input),
    merge: (principal, input) => merge(dependencies, principal, input),
    append: (principal, input) => append(dependencies, principal, input),
    increment: (principal, input) => increment(dependencies, principal, input),
    remove: (principal, input) => removeValue(dependencies, principal, input),
    grant: (principal, input) => grant(dependencies, principal, input),
    revoke: (principal, input) => revoke(dependencies, principal, input),
    accessibleBy: (principal, input) => accessibleBy(dependencies, principal, input),
    statistics: async (principal, poolId) =>
      statistics(dependencies, principal, await readablePool(dependencies, principal, poolId)),
    follow: (principal, input, signal) => followPool(dependencies, principal, input, signal),
  };
}
