/**
 * Moves a tenant's state from the database into Redis: what was written there while Redis was out of reach. A value is put
 * into Redis unless a newer one is there, a part is added to what is there, and then it is removed from the database. Whoever dies in the middle has done nothing
 * that cannot be done again; and one process at a time does it for a tenant.
 */

import { randomUUID } from 'node:crypto';
import { LaminaError } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import { HOT_PREFIXES, ownerOfNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Archive, ArchivedState } from '../../ports/archive.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { StateRow } from '../sql/state-row.ts';
import { keptMs, millisOf } from './redis-archive.ts';
import type { RedisConnection, RedisReply } from './redis-connection.ts';
import type { RedisKeys } from './redis-keys.ts';
import { portions } from './redis-namespace.ts';
import { combined, partsIn } from './redis-parts.ts';
import { removalsIn } from './redis-removals.ts';
import { redisScript } from './redis-script.ts';
import { FIELDS, rowOf } from './redis-value.ts';
import { REMOVE_OLDER_VALUES } from './redis-walk-scripts.ts';
import { MOVE_VALUE, REMOVE_OLDER_VALUE } from './redis-write-scripts.ts';

const PAGE = 100;

/** How often somebody may have been quicker in Redis. */
const MAX_ATTEMPTS = 100;

/** Prolonged with every page. Others wait so long for one that has died. */
const CLAIM_MS = 10_000;
const CLAIM_PAUSE_MS = 50;

const PROLONG = redisScript(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const RELEASE = redisScript(`
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`);

export interface MoverOptions {
  readonly connection: RedisConnection;
  readonly database: StateStore;
  readonly archive: Pick<Archive, 'read'>;
  readonly now: () => number;
}

/** A version of the database as callers see it: odd, so that it is never taken for one of Redis. */
export function shownVersion(version: number): number {
  return version * 2 + 1;
}

export class RedisMover {
  readonly #options: MoverOptions;

  constructor(options: MoverOptions) {
    this.#options = options;
  }

  /** Whether the database holds anything that belongs into Redis. */
  async hasWork(tenantId: string): Promise<boolean> {
    const firsts = await Promise.all(
      HOT_PREFIXES.map(async (prefix) => {
        const { items } = await this.#options.archive.read(tenantId, 'state', 1, [prefix, '']);
        return items[0]?.namespace.startsWith(prefix) ?? false;
      }),
    );
    return firsts.includes(true);
  }

  /** Moves what there is now. Waits for another process that is at it. Throws `UNAVAILABLE`. */
  async move(tenantId: string): Promise<void> {
    const { connection } = this.#options;
    const claim = await this.#claim(tenantId);
    try {
      await connection.send(['SADD', connection.keys.tenants, tenantId], 'writes');
      for (const prefix of HOT_PREFIXES) await this.#movePrefix(tenantId, claim, prefix);
    } finally {
      await connection.run(RELEASE, [connection.keys.moving(tenantId)], [claim], 'writes').catch(() => {});
    }
  }

  async #claim(tenantId: string): Promise<string> {
    const { connection } = this.#options;
    const claim = randomUUID();
    const command = ['SET', connection.keys.moving(tenantId), claim, 'NX', 'PX', String(CLAIM_MS)];
    for (const deadline = Date.now() + 2 * CLAIM_MS; Date.now() < deadline;) {
      if ((await connection.send(command, 'writes')) === 'OK') return claim;
      await new Promise((resolve) => setTimeout(resolve, CLAIM_PAUSE_MS));
    }
    throw new LaminaError('UNAVAILABLE', 'Working and short-term memory are still being moved back into Redis.');
  }

  async #movePrefix(tenantId: string, claim: string, prefix: string): Promise<void> {
    const { archive, connection } = this.#options;
    let after: readonly [string, string] = [prefix, ''];
    for (;;) {
      const { items } = await archive.read(tenantId, 'state', PAGE, after);
      const page = items.filter(({ namespace }) => namespace.startsWith(prefix));
      const last = page.at(-1);
      if (last === undefined) return;
      await this.#bringAll(tenantId, claim, page);
      await Promise.all(page.map((item) => this.#drop(tenantId, item)));
      const prolonged = await connection.run(
        PROLONG,
        [connection.keys.moving(tenantId)],
        [claim, String(CLAIM_MS)],
        'writes',
      );
      if (prolonged !== 1) throw stopped();
      if (page.length < PAGE) return;
      after = [last.namespace, last.key];
    }
  }

  /** Into Redis: what was removed first, then what is added to what is left, then what takes the place of either. */
  async #bringAll(tenantId: string, claim: string, page: readonly ArchivedState[]): Promise<void> {
    const kindOf = ({ namespace }: ArchivedState): string =>
      removalsIn(namespace) !== undefined ? 'removal' : partsIn(namespace) !== undefined ? 'part' : 'whole';
    for (const kind of ['removal', 'part', 'whole']) {
      const items = page.filter((item) => kindOf(item) === kind);
      await Promise.all(items.map((item) => this.#bring(tenantId, claim, item)));
    }
  }

  async #bring(tenantId: string, claim: string, item: ArchivedState): Promise<void> {
    const removals = removalsIn(item.namespace);
    if (removals !== undefined) return this.#remove(tenantId, removals, item);
    const namespace = partsIn(item.namespace);
    if (namespace !== undefined) return this.#add(tenantId, claim, { ...item, namespace });
    const outcome = await this.#put(tenantId, claim, item, this.#options.now());
    if (outcome !== 1) throw stopped();
  }

  /** Combines a part with what it is a part of. Where it was written as a whole since, that counts alone. */
  async #add(tenantId: string, claim: string, part: ArchivedState): Promise<void> {
    const { connection, database, now } = this.#options;
    const { namespace, key } = part;
    if ((await database.get(ownerOf(tenantId, namespace), namespace, key)) !== null) return;
    const command = ['HMGET', connection.keys.value(tenantId, namespace) + key, ...FIELDS, 'd'];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const fields = (await connection.send(command, 'reads')) as (string | null)[];
      const [row, at] = [rowOf(fields), now()];
      const held = row !== undefined && (row.expires_at === null || row.expires_at > at) ? row : undefined;
      const base = held && { value: JSON.parse(held.value) as Json, updatedAt: held.updated_at };
      const next = combined(part, base, fields.at(-1) ?? null);
      if (next === undefined) return;
      const item = together(part, held, next.value);
      const outcome = await this.#put(tenantId, claim, item, at, [String(held?.version ?? 0), next.note]);
      if (outcome === 1) return;
      if (outcome === 0) throw stopped();
    }
    throw stopped();
  }

  #put(
    tenantId: string,
    claim: string,
    item: ArchivedState,
    at: number,
    combining: readonly [version: string, note: string] = ['', ''],
  ): Promise<RedisReply> {
    const { namespace, key, version, value, createdAt, updatedAt, expiresAt, accessCount, lastAccessedAt } = item;
    const values = [
      String(at),
      claim,
      millisOf(expiresAt),
      key,
      namespace,
      JSON.stringify(value),
      millisOf(createdAt),
      millisOf(updatedAt),
      String(accessCount),
      millisOf(lastAccessedAt),
      String(shownVersion(version)),
      keptMs(item),
      ...combining,
    ];
    const { connection } = this.#options;
    const { version: versionKey, moving } = connection.keys;
    const keys = [...keysOf(connection.keys, tenantId, namespace, key), versionKey(tenantId), moving(tenantId)];
    return connection.run(MOVE_VALUE, keys, values, 'writes');
  }

  async #remove(
    tenantId: string,
    { namespace, isAll }: { readonly namespace: string; readonly isAll: boolean },
    { key, updatedAt }: ArchivedState,
  ): Promise<void> {
    const { connection, now } = this.#options;
    const [at, until] = [now(), String(Date.parse(updatedAt))];
    if (!isAll) {
      const values = [String(at), until, '', key, namespace];
      await connection.run(REMOVE_OLDER_VALUE, keysOf(connection.keys, tenantId, namespace, key), values, 'writes');
      return;
    }
    const walk = { script: REMOVE_OLDER_VALUES, effect: 'writes', tenantId, namespace, now: at } as const;
    for await (const _ of portions(connection, { ...walk, values: [until] }));
  }

  /** Out of the database, unless it was changed since. */
  async #drop(tenantId: string, { namespace, key, version }: ArchivedState): Promise<void> {
    const { connection, database } = this.#options;
    try {
      await database.remove(ownerOf(tenantId, namespace), namespace, key, version);
    } catch (error) {
      if (!(error instanceof LaminaError) || error.code !== 'VERSION_CONFLICT') throw error;
      return;
    }
    const whole = partsIn(namespace);
    // The next part has nothing to do with this one.
    if (whole !== undefined)
      await connection.send(['HDEL', connection.keys.value(tenantId, whole) + key, 'd'], 'writes');
  }
}

function ownerOf(tenantId: string, namespace: string): Principal {
  return { tenantId, userId: ownerOfNamespace(namespace) };
}

/** The part with what it was added to. Nothing ends earlier because somebody who could not see it has added to it. */
function together(part: ArchivedState, held: StateRow | undefined, value: Json): ArchivedState {
  if (held === undefined) return { ...part, value };
  const { expiresAt, ...rest } = part;
  const updatedAt = new Date(Math.max(held.updated_at, Date.parse(part.updatedAt))).toISOString();
  if (held.expires_at === null) return { ...rest, value, updatedAt };
  const end = Math.max(held.expires_at, expiresAt === undefined ? 0 : Date.parse(expiresAt));
  return { ...rest, value, updatedAt, expiresAt: new Date(end).toISOString() };
}

function keysOf(keys: RedisKeys, tenantId: string, namespace: string, key: string): [string, string, string] {
  return [keys.value(tenantId, namespace) + key, keys.index(tenantId, namespace), keys.namespaces(tenantId)];
}

/** Somebody who erases has stopped it, or it took longer than the claim held. */
function stopped(): LaminaError {
  return new LaminaError('UNAVAILABLE', 'Moving working and short-term memory back into Redis was stopped. Try again.');
}
