/** Exporting and importing everything that Redis has of a tenant. */

import { isHotNamespace } from '../../domain/namespace.ts';
import type { ArchivedState } from '../../ports/archive.ts';
import type { HotArchive } from '../../ports/hot-store.ts';
import type { StatePlace } from '../../ports/state-store.ts';
import { heldOf, itemOf } from '../sql/state-row.ts';
import type { RedisConnection } from './redis-connection.ts';
import { namespacePages, rows, sums } from './redis-namespace.ts';
import { FIELDS, rowOf } from './redis-value.ts';
import { ARCHIVED_VALUES, MEASURE_VALUES } from './redis-walk-scripts.ts';
import { ADD_VALUE, ADVANCE_VERSIONS } from './redis-write-scripts.ts';

/** How many values are read at once: they may be large. */
const PORTION = 64;

export function redisArchive(connection: RedisConnection, now: () => number): HotArchive {
  const { keys } = connection;
  return {
    count: (tenantId) => count(connection, now(), tenantId),
    read: (tenantId, limit, after) => read(connection, now(), { tenantId, limit, after }),
    write: async (tenantId, items) => {
      if (items.length === 0) return;
      await Promise.all(items.map((item) => add(connection, now(), tenantId, item)));
      await connection.send(['SADD', keys.tenants, tenantId], 'writes');
    },
    latestVersion: async (tenantId) => Number((await connection.send(['GET', keys.version(tenantId)], 'reads')) ?? 0),
    advanceVersions: async (tenantId, version) => {
      await connection.run(ADVANCE_VERSIONS, [keys.version(tenantId)], [String(now()), String(version)], 'writes');
    },
  };
}

/** Each call waits for what has to be done before. */
export function archiveAfter(ready: (tenantId: string) => unknown, archive: HotArchive): HotArchive {
  const of = async (tenantId: string): Promise<HotArchive> => {
    await ready(tenantId);
    return archive;
  };
  return {
    count: async (tenantId) => (await of(tenantId)).count(tenantId),
    read: async (tenantId, limit, after) => (await of(tenantId)).read(tenantId, limit, after),
    write: async (tenantId, items) => (await of(tenantId)).write(tenantId, items),
    latestVersion: async (tenantId) => (await of(tenantId)).latestVersion(tenantId),
    advanceVersions: async (tenantId, version) => (await of(tenantId)).advanceVersions(tenantId, version),
  };
}

async function count(connection: RedisConnection, now: number, tenantId: string): Promise<number> {
  let total = 0;
  for await (const namespace of namespacesOf(connection, tenantId)) {
    const [some = 0] = await sums(connection, { script: MEASURE_VALUES, effect: 'reads', tenantId, namespace, now });
    total += some;
  }
  return total;
}

interface Reading {
  readonly tenantId: string;
  readonly limit: number;
  readonly after: StatePlace | undefined;
}

async function read(
  connection: RedisConnection,
  now: number,
  { tenantId, limit, after }: Reading,
): Promise<ArchivedState[]> {
  const items: ArchivedState[] = [];
  for await (const namespace of namespacesOf(connection, tenantId, after?.namespace)) {
    const place = { tenantId, namespace, after: namespace === after?.namespace ? after.key : undefined };
    const left = limit - items.length;
    const walk = { script: ARCHIVED_VALUES, effect: 'reads', ...place, now, portion: Math.min(left, PORTION) } as const;
    items.push(...(await rows(connection, walk, left)).map((fields) => archivedIn(namespace, fields)));
    if (items.length >= limit) break;
  }
  return items;
}

async function* namespacesOf(connection: RedisConnection, tenantId: string, from?: string): AsyncGenerator<string> {
  for await (const page of namespacePages(connection, tenantId, '', from)) yield* page.filter(isHotNamespace);
}

/** A value as the script returns it: its key, and how long it is kept past its expiry, are last. */
function archivedIn(namespace: string, fields: readonly string[]): ArchivedState {
  const row = rowOf(fields);
  if (row === undefined) throw new Error('Redis gave a value without its text.');
  const [key = '', kept = '0'] = fields.slice(FIELDS.length);
  const end = row.expires_at === null || Number(kept) === 0 ? undefined : row.expires_at + Number(kept);
  return {
    namespace,
    ...itemOf(key, heldOf(row)),
    ...(end !== undefined && { keptUntil: new Date(end).toISOString() }),
  };
}

async function add(connection: RedisConnection, now: number, tenantId: string, item: ArchivedState): Promise<void> {
  const { namespace, key, value, version, createdAt, updatedAt, expiresAt, accessCount, lastAccessedAt } = item;
  const { value: prefix, index, namespaces } = connection.keys;
  const keys = [prefix(tenantId, namespace) + key, index(tenantId, namespace), namespaces(tenantId)];
  const values = [
    String(now),
    keptMs(item),
    millisOf(expiresAt),
    key,
    namespace,
    JSON.stringify(value),
    String(version),
    millisOf(createdAt),
    millisOf(updatedAt),
    String(accessCount),
    millisOf(lastAccessedAt),
  ];
  await connection.run(ADD_VALUE, keys, values, 'writes');
}

/** How long it is kept past its expiry, in milliseconds. */
export function keptMs({ keptUntil, expiresAt }: ArchivedState): string {
  return String(keptUntil && expiresAt ? Date.parse(keptUntil) - Date.parse(expiresAt) : 0);
}

/** Empty for none. */
export function millisOf(time: string | undefined): string {
  return time === undefined ? '' : String(Date.parse(time));
}
