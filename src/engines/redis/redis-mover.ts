/**
 * Moves a tenant's state from the database into Redis: what was written there while Redis was out of reach. A value is put
 * into Redis unless a newer one is there, and then removed from the database. Whoever dies in the middle has done nothing
 * that cannot be done again; and one process at a time does it for a tenant.
 */

import { randomUUID } from 'node:crypto';
import { LaminaError } from '../../domain/error.ts';
import { HOT_PREFIXES, ownerOfNamespace } from '../../domain/namespace.ts';
import type { Archive, ArchivedState } from '../../ports/archive.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { RedisConnection } from './redis-connection.ts';
import { indexKey, movingKey, namespacesKey, TENANTS, valuePrefix, versionKey } from './redis-keys.ts';
import { portions } from './redis-namespace.ts';
import { removalsIn } from './redis-removals.ts';
import { redisScript } from './redis-script.ts';
import { REMOVE_OLDER_VALUES } from './redis-walk-scripts.ts';
import { MOVE_VALUE, REMOVE_OLDER_VALUE } from './redis-write-scripts.ts';

const PAGE = 100;

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
    const claim = await this.#claim(tenantId);
    try {
      await this.#options.connection.send(['SADD', TENANTS, tenantId], 'writes');
      for (const prefix of HOT_PREFIXES) await this.#movePrefix(tenantId, claim, prefix);
    } finally {
      await this.#options.connection.run(RELEASE, [movingKey(tenantId)], [claim], 'writes').catch(() => {});
    }
  }

  async #claim(tenantId: string): Promise<string> {
    const claim = randomUUID();
    const command = ['SET', movingKey(tenantId), claim, 'NX', 'PX', String(CLAIM_MS)];
    for (const deadline = Date.now() + 2 * CLAIM_MS; Date.now() < deadline;) {
      if ((await this.#options.connection.send(command, 'writes')) === 'OK') return claim;
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
      // Sent together, and carried out in this order: removals stand before the values that were written after them.
      await Promise.all(page.map((item) => this.#bring(tenantId, claim, item)));
      await Promise.all(page.map((item) => this.#drop(tenantId, item)));
      const prolonged = await connection.run(PROLONG, [movingKey(tenantId)], [claim, String(CLAIM_MS)], 'writes');
      if (prolonged !== 1) throw stopped();
      if (page.length < PAGE) return;
      after = [last.namespace, last.key];
    }
  }

  /** Into Redis. */
  async #bring(tenantId: string, claim: string, item: ArchivedState): Promise<void> {
    const { connection, now } = this.#options;
    const { namespace, key, version, value, createdAt, updatedAt, expiresAt, accessCount, lastAccessedAt } = item;
    const removals = removalsIn(namespace);
    if (removals !== undefined) return this.#remove(tenantId, removals, item);
    const kept = item.keptUntil && expiresAt ? Date.parse(item.keptUntil) - Date.parse(expiresAt) : 0;
    const values = [
      String(now()),
      claim,
      expiresAt === undefined ? '' : String(Date.parse(expiresAt)),
      key,
      namespace,
      JSON.stringify(value),
      String(Date.parse(createdAt)),
      String(Date.parse(updatedAt)),
      String(accessCount),
      lastAccessedAt === undefined ? '' : String(Date.parse(lastAccessedAt)),
      String(shownVersion(version)),
      String(kept),
    ];
    const keys = [...keysOf(tenantId, namespace, key), versionKey(tenantId), movingKey(tenantId)];
    if ((await connection.run(MOVE_VALUE, keys, values, 'writes')) !== 1) throw stopped();
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
      await connection.run(REMOVE_OLDER_VALUE, keysOf(tenantId, namespace, key), values, 'writes');
      return;
    }
    const walk = { script: REMOVE_OLDER_VALUES, effect: 'writes', tenantId, namespace, now: at } as const;
    for await (const _ of portions(connection, { ...walk, values: [until] }));
  }

  /** Out of the database, unless it was changed since. */
  async #drop(tenantId: string, { namespace, key, version }: ArchivedState): Promise<void> {
    const owner = { tenantId, userId: ownerOfNamespace(namespace) };
    try {
      await this.#options.database.remove(owner, namespace, key, version);
    } catch (error) {
      if (!(error instanceof LaminaError) || error.code !== 'VERSION_CONFLICT') throw error;
    }
  }
}

function keysOf(tenantId: string, namespace: string, key: string): [string, string, string] {
  return [valuePrefix(tenantId, namespace) + key, indexKey(tenantId, namespace), namespacesKey(tenantId)];
}

/** Somebody who erases has stopped it, or it took longer than the claim held. */
function stopped(): LaminaError {
  return new LaminaError('UNAVAILABLE', 'Moving working and short-term memory back into Redis was stopped. Try again.');
}
