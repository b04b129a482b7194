/** State in PostgreSQL. Nothing is held in memory: what one node has acknowledged is what every other one reads. */

import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StateStore, StateWrite } from '../../ports/state-store.ts';
import { isBlind, removing, writing, type Decide } from '../sql/state-change.ts';
import { heldOf, itemOf, type StateRow } from '../sql/state-row.ts';
import { contextOf, type Context, type PostgresDatabase, type PostgresTransaction } from './postgres-database.ts';
import {
  CLEAR_STATE,
  LIST_STATE,
  LOCK_STATE,
  PUT_STATE,
  READ_STATE,
  READ_STATE_TO_CHANGE,
  REMOVE_STATE,
  SELECT_TENANTS,
  SWEEP_STATE,
} from './postgres-state-statements.ts';
import { usersOf, type PostgresUsers } from './postgres-users.ts';

/** So many writes remove what has expired in the tenant of one of them, and so many values of it. */
const WRITES_PER_SWEEP = 64;
const MAX_SWEEP = 256;

const DIRECTORY: Context = { purpose: 'directory' };
const TENANT_PAGE = 1000;

interface TenantRow {
  readonly id: string;
}

/** Tenant, namespace and key. */
type Place = readonly [tenantId: string, namespace: string, key: string];

type Stamp = Omit<StateRow, 'value'>;

export class PostgresStateStore implements StateStore {
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #clock: Clock;
  #latest = 0;
  #writes = 0;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#clock = clock;
  }

  async get(principal: Principal, namespace: string, key: string): Promise<StateItem | null> {
    const values = [principal.tenantId, namespace, key, this.#now()];
    const [row] = await this.#database.read<StateRow>(contextOf(principal), READ_STATE, values);
    return row === undefined ? null : itemOf(key, heldOf(row));
  }

  async list(principal: Principal, namespace: string, limit: number, afterKey = ''): Promise<StateItem[]> {
    const values = [principal.tenantId, namespace, afterKey, this.#now(), limit];
    const rows = await this.#database.read<StateRow & { readonly key: string }>(
      contextOf(principal),
      LIST_STATE,
      values,
    );
    return rows.map((row) => itemOf(row.key, heldOf(row)));
  }

  async write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    // Before anything is waited for: the caller may change the value as soon as this has been called.
    const decide = writing(key, write);
    const place = [principal.tenantId, namespace, key] as const;
    // What stands there decides nothing, so that it need not be read.
    const isUnseen = isBlind(write.mutation) && write.ifVersion === undefined;
    const { json, put } = await this.#users.transaction(
      contextOf(principal),
      this.#now(),
      async (transaction, enter) => {
        const now = this.#now();
        transaction.send(LOCK_STATE, place);
        const next = decide(isUnseen ? undefined : await current(transaction, place, now));
        if (!next) throw new Error('A write of state left nothing behind.');
        enter(principal.userId);
        const keepsExpiry = isUnseen && write.expiresAt === undefined;
        const values = [...place, next.json, now, next.expiresAt, keepsExpiry];
        // Not waited for here: it is sent together with the end of the transaction.
        const written = { json: next.json, put: transaction.query<Stamp>(PUT_STATE, values) };
        this.#sweepNowAndThen(transaction, principal.tenantId, now);
        return written;
      },
    );
    const [stamp] = (await put).rows;
    if (stamp === undefined) throw new Error('A write of state left nothing behind.');
    return itemOf(key, heldOf({ ...stamp, value: json }));
  }

  async remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    const place = [principal.tenantId, namespace, key] as const;
    if (ifVersion === undefined) return (await this.#removed(principal, REMOVE_STATE, place)) > 0;
    const decide: Decide = removing(key, ifVersion);
    return this.#database.transaction(contextOf(principal), async (transaction) => {
      const now = this.#now();
      const next = decide(await current(transaction, place, now));
      if (next === null) transaction.send(REMOVE_STATE, [...place, now]);
      return next === null;
    });
  }

  clear(principal: Principal, namespace: string): Promise<number> {
    return this.#removed(principal, CLEAR_STATE, [principal.tenantId, namespace]);
  }

  /** Tenant by tenant, because nobody sees the state of all of them. */
  async sweep(signal: AbortSignal): Promise<void> {
    let after: string | null = null;
    do {
      const tenants: TenantRow[] = await this.#database.read(DIRECTORY, SELECT_TENANTS, [after, TENANT_PAGE]);
      for (const { id } of tenants) await this.#sweepTenant(id, signal);
      after = tenants.at(-1)?.id ?? null;
    } while (after !== null && !signal.aborted);
  }

  async #sweepTenant(tenantId: string, signal: AbortSignal): Promise<void> {
    for (let count = MAX_SWEEP; count === MAX_SWEEP && !signal.aborted;) {
      ({ count } = await this.#database.write({ tenantId }, SWEEP_STATE, [tenantId, this.#now(), MAX_SWEEP]));
    }
  }

  async #removed(principal: Principal, sql: string, place: readonly string[]): Promise<number> {
    const { rows } = await this.#database.write<{ count: number }>(contextOf(principal), sql, [...place, this.#now()]);
    return rows[0]?.count ?? 0;
  }

  #sweepNowAndThen(transaction: PostgresTransaction, tenantId: string, now: number): void {
    this.#writes += 1;
    if (this.#writes % WRITES_PER_SWEEP === 0) transaction.send(SWEEP_STATE, [tenantId, now, MAX_SWEEP]);
  }

  /** Never goes back: what has expired once must not come back when somebody sets the clock. */
  #now(): number {
    this.#latest = Math.max(this.#latest, Math.floor(this.#clock.now()));
    return this.#latest;
  }
}

/** What stands there, which nobody else changes until the transaction ends. */
async function current(transaction: PostgresTransaction, place: Place, now: number): Promise<StateRow | undefined> {
  const [row] = (await transaction.query<StateRow>(READ_STATE_TO_CHANGE, place)).rows;
  return row && (row.expires_at === null || row.expires_at > now) ? row : undefined;
}
