/** Removing everything that Redis has of a tenant or user, and counting it. */

import type { StateSelection } from '../../ports/hot-store.ts';
import type { RedisConnection } from './redis-connection.ts';
import { namespacePages, sums, type Walk } from './redis-namespace.ts';
import { COUNT_VALUES, ERASE_VALUES } from './redis-walk-scripts.ts';

const SCAN_COUNT = '1000';

export function countIn(connection: RedisConnection, tenantId: string, selection: StateSelection): Promise<number> {
  return total(connection, { script: COUNT_VALUES, effect: 'reads', tenantId, now: 0 }, selection);
}

export async function eraseIn(
  connection: RedisConnection,
  tenantId: string,
  selection: StateSelection,
): Promise<number> {
  // Whoever moves values here at the moment has read them before they were erased.
  await connection.send(['DEL', connection.keys.moving(tenantId)], 'writes');
  return total(connection, { script: ERASE_VALUES, effect: 'writes', tenantId, now: 0 }, selection);
}

async function total(
  connection: RedisConnection,
  walk: Omit<Walk, 'namespace'>,
  { namespaces, prefixes, within: { prefix, keyPrefix } }: StateSelection,
): Promise<number> {
  const whole = new Set(namespaces);
  for (const each of prefixes) for (const namespace of await begunBy(connection, walk, each)) whole.add(namespace);
  const others = (await begunBy(connection, walk, prefix)).filter((namespace) => !whole.has(namespace));
  let count = 0;
  for (const namespace of whole) count += (await sums(connection, { ...walk, namespace }))[0] ?? 0;
  for (const namespace of others) count += (await sums(connection, { ...walk, namespace, keyPrefix }))[0] ?? 0;
  return count;
}

async function begunBy(
  connection: RedisConnection,
  { tenantId }: { tenantId: string },
  prefix: string,
): Promise<string[]> {
  const all: string[] = [];
  for await (const page of namespacePages(connection, tenantId, prefix)) all.push(...page);
  return all;
}

export async function countTenant(connection: RedisConnection, tenantId: string): Promise<number> {
  let count = 0;
  for await (const names of namesOf(connection, tenantId))
    count += valuesAmong(names, connection.keys.values(tenantId));
  return count;
}

/** Scans every name in Redis, so that nothing is left that a list has missed. */
export async function eraseTenant(connection: RedisConnection, tenantId: string): Promise<number> {
  let count = 0;
  await connection.send(['DEL', connection.keys.moving(tenantId)], 'writes');
  for await (const names of namesOf(connection, tenantId)) {
    await connection.send(['UNLINK', ...names], 'writes');
    count += valuesAmong(names, connection.keys.values(tenantId));
  }
  await connection.send(['SREM', connection.keys.tenants, tenantId], 'writes');
  return count;
}

function valuesAmong(names: readonly string[], prefix: string): number {
  return names.filter((name) => name.startsWith(prefix)).length;
}

/** In batches, none empty. A name that exists throughout comes at least once; hardly ever twice. */
async function* namesOf(connection: RedisConnection, tenantId: string): AsyncGenerator<string[]> {
  // Neither the prefix nor a tenant's id has a special character of patterns.
  const pattern = `${connection.keys.tenant(tenantId)}*`;
  let cursor = '0';
  do {
    const reply = await connection.send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT], 'reads');
    const [next, names] = reply as [string, string[]];
    if (names.length > 0) yield [...new Set(names)];
    cursor = next;
  } while (cursor !== '0');
}
