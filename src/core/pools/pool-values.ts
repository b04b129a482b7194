/** Reading and changing what is in a pool. Reads run as the caller; writes run as the owner. */

import { asLaminaError, LaminaError } from '../../domain/error.ts';
import { assertJson, type Json } from '../../domain/json.ts';
import { poolNamespace } from '../../domain/namespace.ts';
import {
  partsOf,
  type AppendPoolInput,
  type IncrementPoolInput,
  type ListPoolValuesInput,
  type ListPoolValuesOutput,
  type MergePoolInput,
  type PoolKeyInput,
  type PoolValue,
  type RemovePoolValueInput,
  type WritePoolInput,
} from '../../domain/pool-value.ts';
import type { PoolRecord } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import { ownerPrincipal } from '../../domain/sharing.ts';
import { valueWithin, type Mutation, type StateItem } from '../../domain/state.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { orAbsent } from '../records/record.ts';
import { findPool, isThere, readablePool, writablePool } from './pool-access.ts';

export async function read(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, key }: PoolKeyInput,
): Promise<PoolValue | null> {
  const { state } = dependencies;
  const pool = await findPool(dependencies, principal, poolId);
  if (pool === null) return null;
  const [first, ...path] = partsOf(key);
  const item = await state.get(principal, poolNamespace(poolId), first);
  const value = item === null ? undefined : valueWithin(item.value, path);
  if (item === null || value === undefined) return null;
  state.touch(ownerPrincipal(principal, pool), poolNamespace(poolId), first);
  return { ...item, poolId, key, value };
}

export async function readAll(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, limit, cursor }: ListPoolValuesInput,
): Promise<ListPoolValuesOutput> {
  await readablePool(dependencies, principal, poolId);
  const namespace = poolNamespace(poolId);
  const { items, nextCursor } = await pageOf<StateItem>({
    list: { namespace },
    cursor,
    limit,
    // Keys have no time; each is there once.
    placeOf: ({ key }) => ({ at: 0, id: key }),
    read: (count, after) => dependencies.state.list(principal, namespace, count, after?.id),
  });
  return { poolId, values: items, count: items.length, nextCursor };
}

export function write(dependencies: Dependencies, principal: Principal, input: WritePoolInput): Promise<PoolValue> {
  const { key, value } = input;
  // A new value has no end but the one that is named; a change within one leaves it as it is.
  const end = partsOf(key).length === 1 ? null : undefined;
  return change(dependencies, principal, input, value, { type: 'set', value }, end);
}

export function merge(dependencies: Dependencies, principal: Principal, input: MergePoolInput): Promise<PoolValue> {
  const { fields } = input;
  return change(dependencies, principal, input, fields, { type: 'merge', fields });
}

export function append(dependencies: Dependencies, principal: Principal, input: AppendPoolInput): Promise<PoolValue> {
  const { items } = input;
  return change(dependencies, principal, input, items, { type: 'append', items });
}

export function increment(
  dependencies: Dependencies,
  principal: Principal,
  input: IncrementPoolInput,
): Promise<PoolValue> {
  const { by = 1 } = input;
  return change(dependencies, principal, input, by, { type: 'increment', by });
}

type Changing = Pick<WritePoolInput, 'poolId' | 'key' | 'ifVersion' | 'ttlSeconds'>;

async function change(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, key, ifVersion, ttlSeconds }: Changing,
  given: Json,
  mutation: Exclude<Mutation, { type: 'unset' | 'keep' }>,
  end?: null,
): Promise<PoolValue> {
  const { state, clock, limits } = dependencies;
  const [first, ...path] = partsOf(key);
  // As deep as it will stand there, so that what is read can be written again.
  assertJson(given, ['value', ...path]);
  const pool = await writablePool(dependencies, principal, poolId);
  const item = await state.write(ownerPrincipal(principal, pool), poolNamespace(poolId), first, {
    mutation: { ...mutation, path },
    ifVersion,
    expiresAt: ttlSeconds === undefined ? end : clock.now() + ttlSeconds * 1000,
    maxBytes: limits.valueBytes,
  });
  await assertStillThere(dependencies, principal, pool, item);
  const value = valueWithin(item.value, path);
  if (value === undefined) throw new LaminaError('PROVIDER_ERROR', 'What was written is not there.');
  return { ...item, poolId, key, value };
}

/**
 * If the pool was removed during a write, what was written is removed too, unless somebody else has written there since.
 * Otherwise it would turn up in the next pool of that name. Throws `NOT_FOUND`.
 */
async function assertStillThere(
  { records, state, clock }: Dependencies,
  principal: Principal,
  pool: PoolRecord,
  { key, version }: StateItem,
): Promise<void> {
  const owner = ownerPrincipal(principal, pool);
  const current = await records.pools.get(owner, pool.poolId);
  if (current !== null && current.createdAt === pool.createdAt && isThere(current, clock.now())) return;
  await state.remove(owner, poolNamespace(pool.poolId), key, version).catch((error: unknown) => {
    if (asLaminaError(error).code !== 'VERSION_CONFLICT') throw error;
  });
  orAbsent('pool', null);
}

export async function removeValue(
  dependencies: Dependencies,
  principal: Principal,
  { poolId, key, ifVersion }: RemovePoolValueInput,
): Promise<boolean> {
  const { state, limits } = dependencies;
  const owner = ownerPrincipal(principal, await writablePool(dependencies, principal, poolId));
  const [first, next, ...rest] = partsOf(key);
  const namespace = poolNamespace(poolId);
  if (next === undefined) return state.remove(owner, namespace, first, ifVersion);
  try {
    const mutation = { type: 'unset', path: [next, ...rest] } as const;
    await state.write(owner, namespace, first, { mutation, ifVersion, maxBytes: limits.valueBytes });
    return true;
  } catch (error) {
    if (error instanceof LaminaError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
