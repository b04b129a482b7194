/** Who has written in a tenant: tenant and user get their rows with the first write, and in the same transaction. */

import { LRUCache } from 'lru-cache';
import { KnownPartitions } from './known-partitions.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import type { PostgresTransaction } from './postgres-sending.ts';

/** In one statement: references are checked at its end. Where both are there already it writes nothing. */
const INSERT_TENANT_AND_USER = `
  WITH tenant AS (INSERT INTO lamina.tenants (id, created_at) VALUES ($1::uuid, $3) ON CONFLICT DO NOTHING)
  INSERT INTO lamina.users (tenant_id, id, created_at) VALUES ($1::uuid, $2, $3) ON CONFLICT DO NOTHING`;

const INSERT_TENANT = 'INSERT INTO lamina.tenants (id, created_at) VALUES ($1::uuid, $2) ON CONFLICT DO NOTHING';

/** Those who write the most are remembered; asking the database about the others costs little. */
const MAX_KNOWN = 10_000;

/** Where no reference tells that another node has erased somebody, it is noticed after this long. */
const TRUST_MS = 10_000;

/** Makes sure that the tenant and this user of it have their rows, before whatever is asked for next. */
export type Enter = (userId: string) => void;

/** What all stores over one database know, so that what one of them erases is news to none. */
const USERS_OF = new WeakMap<PostgresDatabase, PostgresUsers>();

export function usersOf(database: PostgresDatabase): PostgresUsers {
  const known = USERS_OF.get(database) ?? new PostgresUsers(database);
  USERS_OF.set(database, known);
  return known;
}

export class PostgresUsers {
  readonly #database: PostgresDatabase;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: TRUST_MS });
  /** Where they have written. */
  readonly partitions: KnownPartitions = new KnownPartitions();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /**
   * As {@link PostgresDatabase.transaction}; `work` calls `enter` before it writes. Whoever was known but has been erased
   * violates a reference, so that the work runs again, and then nothing of the tenant is taken for known.
   */
  async transaction<T>(
    context: Context,
    now: number,
    work: (transaction: PostgresTransaction, enter: Enter) => Promise<T>,
  ): Promise<T> {
    const { tenantId = '' } = context;
    let runs = 0;
    let entered: string[] = [];
    const value = await this.#database.transaction(context, (transaction) => {
      runs += 1;
      if (runs > 1) this.forgetTenant(tenantId);
      entered = [];
      return work(transaction, (userId) => {
        if (this.#enter(transaction, tenantId, userId, now)) entered.push(userId);
      });
    });
    // Only now: what was rolled back is not there.
    for (const userId of entered) this.#known.set(nameOf(tenantId, userId), true);
    return value;
  }

  forget(tenantId: string, userId: string): void {
    this.#known.delete(nameOf(tenantId, userId));
    this.partitions.forget(tenantId);
  }

  forgetTenant(tenantId: string): void {
    for (const name of this.#known.keys()) if (name.startsWith(tenantId)) this.#known.delete(name);
    this.partitions.forget(tenantId);
  }

  /** The empty id is nobody's: then it is the tenant alone. False when nothing had to be asked for. */
  #enter(transaction: PostgresTransaction, tenantId: string, userId: string, now: number): boolean {
    if (this.#known.has(nameOf(tenantId, userId))) return false;
    if (userId === '') transaction.send(INSERT_TENANT, [tenantId, now]);
    else transaction.send(INSERT_TENANT_AND_USER, [tenantId, userId, now]);
    return true;
  }
}

/** Ids of tenants are all of one length. */
function nameOf(tenantId: string, userId: string): string {
  return tenantId + userId;
}
