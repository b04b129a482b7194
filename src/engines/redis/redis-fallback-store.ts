/**
 * Redis, with the database as fallback while Redis cannot be reached. What was written to the database meanwhile is moved
 * into Redis before Redis answers for that tenant again. Versions of the database are shown as odd numbers, those of Redis
 * are even: they are never confused, and a compare-and-set with the wrong one is a conflict.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Mutation, StateItem } from '../../domain/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine.ts';
import type { HotArchive, HotStore, StateSelection } from '../../ports/hot-store.ts';
import type { Keeping, StatePlace, StateSize, StateStore, StateWrite } from '../../ports/state-store.ts';
import { archiveAfter } from './redis-archive.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isUndone, isUnreachable } from './redis-error.ts';
import { RedisMover } from './redis-mover.ts';
import { RedisStandIn, shown } from './redis-stand-in.ts';

/** How often to check again whether something is left: others may still be writing to the database. */
const MAX_PASSES = 5;
const TENANTS_PAGE = 100;

export interface FallbackOptions {
  readonly connection: RedisConnection;
  readonly store: HotStore;
  /** The fallback. */
  readonly engine: Pick<Engine, 'state' | 'archive'>;
  readonly clock: Clock;
  /** Called for every call that the database answers instead. */
  readonly replaced?: (() => void) | undefined;
}

export class RedisFallbackStore implements HotStore {
  readonly archive: HotArchive;
  readonly #connection: RedisConnection;
  readonly #store: HotStore;
  readonly #database: StateStore;
  readonly #databaseArchive: Engine['archive'];
  readonly #standIn: RedisStandIn;
  readonly #mover: RedisMover;
  readonly #replaced: FallbackOptions['replaced'];
  /** Tenants for which the database holds nothing that belongs in Redis, as far as this process knows. */
  readonly #settled = new Set<string>();
  readonly #settling = new Map<string, Promise<void>>();
  /** Incremented with every change that was made in the database instead. */
  #changes = 0;

  constructor({ connection, store, engine, clock, replaced }: FallbackOptions) {
    this.#replaced = replaced;
    this.#connection = connection;
    this.#store = store;
    this.#database = engine.state;
    this.#standIn = new RedisStandIn(engine.state);
    this.#databaseArchive = engine.archive;
    this.archive = archiveAfter((tenantId) => this.#settled.has(tenantId) || this.#settle(tenantId), store.archive);
    const now = (): number => Math.floor(clock.now());
    this.#mover = new RedisMover({ connection, database: engine.state, archive: engine.archive, now });
    // Other processes may have written to the database meanwhile.
    connection.onReady(() => this.#settled.clear());
  }

  get isUp(): boolean {
    return this.#store.isUp;
  }

  get(principal: Principal, namespace: string, key: string): Promise<StateItem | null> {
    return this.#route(
      principal,
      () => this.#store.get(principal, namespace, key),
      () => this.#standIn.get(principal, namespace, key),
    );
  }

  list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]> {
    return this.#route(
      principal,
      () => this.#store.list(principal, namespace, limit, afterKey),
      () => this.#standIn.list(principal, namespace, limit, afterKey),
    );
  }

  write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    // The caller may change the value as soon as this has been called, and the way may be long.
    const own = { ...write, mutation: JSON.parse(JSON.stringify(write.mutation)) as Mutation };
    return this.#change(
      principal,
      () => this.#store.write(principal, namespace, key, own),
      () => this.#standIn.write(principal, namespace, key, own),
    );
  }

  remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    return this.#change(
      principal,
      () => this.#store.remove(principal, namespace, key, ifVersion),
      () => this.#standIn.remove(principal, namespace, key, ifVersion),
    );
  }

  clear(principal: Principal, namespace: string): Promise<number> {
    return this.#change(
      principal,
      () => this.#store.clear(principal, namespace),
      () => this.#standIn.clear(principal, namespace),
    );
  }

  touch(principal: Principal, namespace: string, key: string, keeping?: Keeping): void {
    const touchIn = (store: StateStore) => async () => store.touch(principal, namespace, key, keeping);
    void this.#route(principal, touchIn(this.#store), touchIn(this.#database)).catch(() => {});
  }

  measure(principal: Principal, namespace: string): Promise<StateSize> {
    return this.#route(
      principal,
      () => this.#store.measure(principal, namespace),
      () => this.#standIn.measure(principal, namespace),
    );
  }

  frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after?: StatePlace,
  ): Promise<(StateItem & StatePlace)[]> {
    return this.#route(
      { tenantId },
      () => this.#store.frequent(tenantId, prefix, accesses, limit, after),
      async () => (await this.#database.frequent(tenantId, prefix, accesses, limit, after)).map(shown),
    );
  }

  /** Also moves what a process has left in the database that does not come back to do it itself. */
  async sweep(signal: AbortSignal, tenantId?: string): Promise<number> {
    if (!this.#connection.isReady) return 0;
    const count = await this.#store.sweep(signal, tenantId);
    if (tenantId === undefined) await this.#settleAll(signal);
    else await this.#settle(tenantId).catch(() => {});
    return count;
  }

  async #settleAll(signal: AbortSignal): Promise<void> {
    let after: string | undefined;
    do {
      const tenants = await this.#databaseArchive.tenants(TENANTS_PAGE, after);
      for (const id of tenants) if (!signal.aborted) await this.#settle(id).catch(() => {});
      after = tenants.at(-1);
    } while (after !== undefined && !signal.aborted);
  }

  countIn(tenantId: string, selection: StateSelection): Promise<number> {
    return this.#store.countIn(tenantId, selection);
  }

  /** What is only noted in the database names what was removed: it must not outlive whoever is erased. */
  async eraseIn(tenantId: string, selection: StateSelection): Promise<number> {
    await this.#settle(tenantId);
    return this.#store.eraseIn(tenantId, selection);
  }

  countTenant(tenantId: string): Promise<number> {
    return this.#store.countTenant(tenantId);
  }

  eraseTenant(tenantId: string): Promise<number> {
    return this.#store.eraseTenant(tenantId);
  }

  async check(): Promise<string | undefined> {
    try {
      return await this.#store.check();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return `${error.message} The database stands in for it.`;
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** A change with an unknown outcome in Redis fails: it must not be made twice. */
  #change<T>(tenant: Pick<Principal, 'tenantId'>, hot: () => Promise<T>, database: () => Promise<T>): Promise<T> {
    return this.#route(tenant, hot, async () => {
      try {
        return await database();
      } finally {
        this.#changes += 1;
        this.#settled.delete(tenant.tenantId);
      }
    });
  }

  async #route<T>(
    { tenantId }: Pick<Principal, 'tenantId'>,
    hot: () => Awaitable<T>,
    fallback: () => Awaitable<T>,
  ): Promise<T> {
    const database = (): Awaitable<T> => {
      this.#replaced?.();
      return fallback();
    };
    if (!this.#connection.isReady) return database();
    try {
      if (!this.#settled.has(tenantId)) await this.#settle(tenantId);
    } catch (error) {
      if (isUnreachable(error)) return database();
      throw error;
    }
    try {
      return await hot();
    } catch (error) {
      if (isUndone(error)) return database();
      throw error;
    }
  }

  /** Moves whatever the database holds that belongs in Redis. Throws `UNAVAILABLE`. */
  #settle(tenantId: string): Promise<void> {
    const running = this.#settling.get(tenantId);
    if (running !== undefined) return running;
    const settling = this.#moveAll(tenantId).finally(() => this.#settling.delete(tenantId));
    this.#settling.set(tenantId, settling);
    return settling;
  }

  async #moveAll(tenantId: string): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const [epoch, changes] = [this.#connection.epoch, this.#changes];
      if (await this.#mover.hasWork(tenantId)) {
        await this.#mover.move(tenantId);
        continue;
      }
      // Else something has come in between, and one has to look again.
      if (epoch !== this.#connection.epoch || changes !== this.#changes) continue;
      this.#settled.add(tenantId);
      return;
    }
  }
}
