/** State in PostgreSQL. Nothing is held in memory: what one node has acknowledged is what every other one reads. */

import { LaminaError } from '../../domain/error.ts';
import { isPoolNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Keeping, StatePlace, StateSize, StateStore, StateWrite } from '../../ports/state-store.ts';
import { isBlind, removing, writing, type Decide } from '../sql/state-change.ts';
import { heldOf, itemOf, type StateRow } from '../sql/state-row.ts';
import { contextOf, type Context, type PostgresDatabase } from './postgres-database.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { isDenied } from './postgres-error.ts';
import {
  CLEAR_STATE,
  COUNT_STATE_ACCESSES,
  FREQUENT_STATE,
  LIST_STATE,
  LOCK_STATE,
  MEASURE_STATE,
  PUT_STATE,
  READ_STATE,
  READ_STATE_TO_CHANGE,
  REMOVE_STATE,
  SELECT_TENANTS,
  SWEEP_STATE,
} from './postgres-state-statements.ts';
import { PostgresTouches } from './postgres-touches.ts';
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

interface StateTouch extends StatePlace, Partial<Keeping> {
  readonly count: number;
  readonly at: number;
}

export class PostgresStateStore implements StateStore {
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #clock: Clock;
  readonly #touches: PostgresTouches<StateTouch>;
  readonly #committed: (tenantId: string) => void;
  #latest = 0;
  #writes = 0;

  /** `committed` is told of every change of what is in pools, after it. */
  constructor(database: PostgresDatabase, clock: Clock, committed: (tenantId: string) => void = () => {}) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#clock = clock;
    this.#touches = new PostgresTouches(database, COUNT_STATE_ACCESSES);
    this.#committed = committed;
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
    const { json, put } = await answered(
      this.#users.transaction(contextOf(principal), this.#now(), async (transaction, enter) => {
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
      }),
    );
    const [stamp] = (await put).rows;
    if (stamp === undefined) throw new Error('A write of state left nothing behind.');
    this.#note(principal.tenantId, namespace);
    return itemOf(key, heldOf({ ...stamp, value: json }));
  }

  async remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    const place = [principal.tenantId, namespace, key] as const;
    if (ifVersion === undefined) return (await this.#removed(principal, namespace, REMOVE_STATE, place)) > 0;
    const decide: Decide = removing(key, ifVersion);
    const isRemoved = await this.#database.transaction(contextOf(principal), async (transaction) => {
      const now = this.#now();
      const next = decide(await current(transaction, place, now));
      if (next === null) transaction.send(REMOVE_STATE, [...place, now]);
      return next === null;
    });
    this.#note(principal.tenantId, namespace);
    return isRemoved;
  }

  clear(principal: Principal, namespace: string): Promise<number> {
    return this.#removed(principal, namespace, CLEAR_STATE, [principal.tenantId, namespace]);
  }

  touch(principal: Principal, namespace: string, key: string, keeping?: Keeping): void {
    const touch = { namespace, key, count: 1, at: this.#now(), ...keeping };
    this.#touches.add(principal, JSON.stringify([namespace, key]), touch);
  }

  /** With the accesses of this node that are not written down yet. */
  async measure(principal: Principal, namespace: string): Promise<StateSize> {
    await this.flush();
    const values = [principal.tenantId, namespace, this.#now()];
    const [size] = await this.#database.read<StateSize>(contextOf(principal), MEASURE_STATE, values);
    return size ?? { count: 0, bytes: 0, accesses: 0 };
  }

  /** The same. */
  async frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after: StatePlace = { namespace: '', key: '' },
  ): Promise<(StateItem & StatePlace)[]> {
    await this.flush();
    const values = [tenantId, prefix, after.namespace, after.key, accesses, this.#now(), limit];
    const rows = await this.#database.read<StateRow & StatePlace>(administering(tenantId), FREQUENT_STATE, values);
    return rows.map((row) => ({ namespace: row.namespace, ...itemOf(row.key, heldOf(row)) }));
  }

  /** Tenant by tenant, because nobody sees the state of all of them. */
  async sweep(signal: AbortSignal, tenantId?: string): Promise<number> {
    if (tenantId !== undefined) return this.#sweepTenant(tenantId, signal);
    let after: string | null = null;
    let count = 0;
    do {
      const tenants: TenantRow[] = await this.#database.read(DIRECTORY, SELECT_TENANTS, [after, TENANT_PAGE]);
      for (const { id } of tenants) count += await this.#sweepTenant(id, signal);
      after = tenants.at(-1)?.id ?? null;
    } while (after !== null && !signal.aborted);
    return count;
  }

  get pendingTouches(): number {
    return this.#touches.size;
  }

  /** Writes out what is pending. */
  flush(): Promise<void> {
    return this.#touches.flush();
  }

  async #sweepTenant(tenantId: string, signal: AbortSignal): Promise<number> {
    let sum = 0;
    for (let count = MAX_SWEEP; count === MAX_SWEEP && !signal.aborted; sum += count) {
      const values = [tenantId, this.#now(), MAX_SWEEP];
      ({ count } = await this.#database.write(administering(tenantId), SWEEP_STATE, values));
      if (count > 0) this.#committed(tenantId);
    }
    return sum;
  }

  async #removed(principal: Principal, namespace: string, sql: string, place: readonly string[]): Promise<number> {
    const { rows } = await this.#database.write<{ count: number }>(contextOf(principal), sql, [...place, this.#now()]);
    this.#note(principal.tenantId, namespace);
    return rows[0]?.count ?? 0;
  }

  /** Of what the writer may change; the rest is for {@link sweep}. */
  #sweepNowAndThen(transaction: PostgresTransaction, tenantId: string, now: number): void {
    this.#writes += 1;
    if (this.#writes % WRITES_PER_SWEEP === 0) transaction.send(SWEEP_STATE, [tenantId, now, MAX_SWEEP]);
  }

  #note(tenantId: string, namespace: string): void {
    if (isPoolNamespace(namespace)) this.#committed(tenantId);
  }

  /** Never goes back: what has expired once must not come back when somebody sets the clock. */
  #now(): number {
    this.#latest = Math.max(this.#latest, Math.floor(this.#clock.now()));
    return this.#latest;
  }
}

/** Over all users of the tenant. */
function administering(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}

/** What stands there, which nobody else changes until the transaction ends. */
async function current(transaction: PostgresTransaction, place: Place, now: number): Promise<StateRow | undefined> {
  const [row] = (await transaction.query<StateRow>(READ_STATE_TO_CHANGE, place)).rows;
  return row && (row.expires_at === null || row.expires_at > now) ? row : undefined;
}

/** A pool that is gone since somebody looked, or was taken away, is not there: the policies refuse to write to it. */
async function answered<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof LaminaError) || !isDenied(error.cause)) throw error;
    throw new LaminaError('NOT_FOUND', 'There is nothing here that you may write to.', { cause: error });
  }
}
