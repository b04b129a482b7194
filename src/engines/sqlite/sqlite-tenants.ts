/** The folder with one SQLite file per tenant: opens them when they are needed, keeps the recent ones open. */

import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { asLaminaError, LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { LAYERS, type Layer } from '../../domain/scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineLoad } from '../../ports/telemetry.ts';
import { SqliteCodeCache, type SqliteCodeOptions } from './sqlite-code-cache.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { SqliteDescribedCache } from './sqlite-described.ts';
import { isBusy, translated } from './sqlite-error.ts';
import { SqliteFileGone } from './sqlite-file.ts';
import { SqliteFoldThread } from './sqlite-fold-thread.ts';
import { SqliteHeldEntriesCache } from './sqlite-held-entries.ts';
import type { CommitObserver } from './sqlite-group-commit.ts';
import { sealedElsewhere } from '../sql/key-row.ts';
import { makeFolder } from '../sql/make-folder.ts';
import { readMigrations, type Migration } from '../sql/migrations.ts';
import { lookAt } from './sqlite-look.ts';
import { whenFree } from './sqlite-patience.ts';
import { isThere, namesIn } from './sqlite-presence.ts';
import { hasDataKeys } from './sqlite-key-row.ts';
import { hasRoom, NO_ROOM } from './sqlite-room.ts';
import { sharesOf } from './sqlite-search-memory.ts';
import { SqliteTenant } from './sqlite-tenant.ts';

/** Beside them lie their logs of writes. */
export const FILE_NAME = /^([0-9a-f-]{36})\.db$/;

export interface SqliteTenantsOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Tenants whose files are kept open. Default 64. */
  readonly maxOpenTenants?: number | undefined;
  /** How large partitions are searched. */
  readonly codes?: SqliteCodeOptions | undefined;
  /** What searches may hold in memory of what they have read, of all tenants together. Default 256 MiB. */
  readonly searchBytes?: number | undefined;
  /** Whether searches go by what earlier ones have read, where that still stands. Default true. */
  readonly remembersSearches?: boolean | undefined;
  /** Told of each commit, of whichever tenant. */
  readonly committed?: CommitObserver | undefined;
  /** Whether to refuse files in which what is stored is sealed: whoever has no keys must not write beside it. */
  readonly refusesSealed?: boolean | undefined;
}

export class SqliteTenants {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #migrations: Migration[];
  readonly #open: LRUCache<string, SqliteTenant>;
  /** What is held in memory of all of them, within one bound. */
  readonly #codes: SqliteCodeCache;
  readonly #described: SqliteDescribedCache | undefined;
  readonly #held: SqliteHeldEntriesCache | undefined;
  readonly #folds = new SqliteFoldThread();
  readonly #committed: CommitObserver | undefined;
  readonly #refusesSealed: boolean;
  /** Files that were put aside but still have writes to finish. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #sizes = new Map<string, Partial<Record<Layer, number>>>();
  /** Whose file could not be opened when that was last tried. */
  #unopened: string | undefined;
  #isClosed = false;

  constructor(options: SqliteTenantsOptions) {
    const { folder, clock, maxOpenTenants = 64, codes, committed, refusesSealed = false } = options;
    this.#refusesSealed = refusesSealed;
    this.#folder = resolve(folder);
    this.#clock = clock;
    this.#migrations = readMigrations('sqlite');
    const shares = sharesOf(options.searchBytes);
    this.#codes = new SqliteCodeCache({ maxBytes: shares.codes, maxVectorBytes: shares.vectors, ...codes });
    const remembers = options.remembersSearches ?? true;
    this.#described = remembers ? new SqliteDescribedCache(shares.described) : undefined;
    this.#held = remembers ? new SqliteHeldEntriesCache(shares.entries) : undefined;
    this.#committed = committed;
    this.#open = new LRUCache({ max: maxOpenTenants, dispose: (tenant, id) => this.#release(id, tenant) });
    try {
      makeFolder(this.#folder, 0o700);
    } catch (error) {
      throw new LaminaError('CONFIGURATION_ERROR', `The data folder "${folder}" cannot be made.`, { cause: error });
    }
  }

  /** A tenant that never wrote anything has no file, and reading must not make one. */
  async read<T>({ tenantId }: Principal, read: (tenant: SqliteTenant) => T, nothing: () => T): Promise<T> {
    this.#assertOpen();
    // What is being put aside may be on its way to being erased.
    while (this.#closing.has(tenantId)) await this.#closing.get(tenantId);
    const readable = (tenant: SqliteTenant): T => {
      tenant.assertReadable();
      return read(tenant);
    };
    const open = this.peek(tenantId);
    if (open === undefined) return isThere(this.#fileOf(tenantId)) ? this.use(tenantId, readable) : nothing();
    try {
      return await readable(open);
    } catch (error) {
      throw translated(error);
    }
  }

  /** Uses the tenant's file in the same step in which it is looked up, so that it cannot be put aside in between. */
  async use<T>(tenantId: string, use: (tenant: SqliteTenant) => T | Promise<T>): Promise<T> {
    for (;;) {
      try {
        while (this.#closing.has(tenantId)) await this.#closing.get(tenantId);
        this.#assertOpen();
        const tenant = this.#open.get(tenantId);
        if (tenant !== undefined) return await use(tenant);
        // Another process may be opening it for the first time, and changes its form meanwhile.
        await this.#opened(tenantId);
      } catch (error) {
        // Another process has erased the tenant just now, which can then begin anew.
        if (!(error instanceof SqliteFileGone)) throw translated(error);
      }
    }
  }

  /**
   * Waits for the writes under way, takes a last look at the tenant, and deletes its file; see {@link SqliteTenant.erase}.
   * What comes meanwhile waits, and then begins anew. Undefined when there was no file.
   */
  async erase<T>(tenantId: string, look: (connection: SqliteConnection) => T): Promise<T | undefined> {
    return this.read<T | undefined | Promise<T>>(
      { tenantId, userId: '' },
      (tenant) => this.#erase(tenantId, tenant, look),
      () => undefined,
    );
  }

  #erase<T>(tenantId: string, tenant: SqliteTenant, look: (connection: SqliteConnection) => T): Promise<T> {
    const erasing = tenant.erase(look);
    const ended = (): void => {
      this.#closing.delete(tenantId);
      this.#sizes.delete(tenantId);
    };
    // Set before it leaves the open ones, which is how `#release` knows that somebody else closes it.
    this.#closing.set(tenantId, erasing.then(ended, ended));
    this.#open.delete(tenantId);
    return erasing;
  }

  /** All who have a file, in order. */
  ids(): string[] {
    return namesIn(join(this.#folder, 'tenants'))
      .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      .toSorted();
  }

  /** A look at so many files, without opening them for good. One that cannot be looked at is left out. */
  looks<T>(limit: number, look: (db: Database, tenantId: string) => T | undefined): T[] {
    const attempt = <R>(work: () => R, otherwise: R): R => {
      try {
        return work();
      } catch {
        return otherwise;
      }
    };
    const ids = attempt(() => this.ids(), []).slice(0, limit);
    return ids.flatMap((id) => attempt(() => lookAt(this.#fileOf(id), (db) => look(db, id)), undefined) ?? []);
  }

  /** The tenant's file if it is open at the moment. */
  peek(tenantId: string): SqliteTenant | undefined {
    return this.#open.get(tenantId);
  }

  openIds(): string[] {
    return [...this.#open.keys()];
  }

  /** Milliseconds: when the tenant's file, or the log of its writes, was last written; 0 where there is none. */
  writtenAt(tenantId: string): number {
    const file = this.#fileOf(tenantId);
    const times = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return Math.max(...times);
  }

  /** Tenants whose files were put aside count as they were then: a count is not worth opening them all. */
  size(): Partial<Record<Layer, number>> {
    for (const [tenantId, tenant] of this.#open.entries()) this.#sizes.set(tenantId, tenant.reader.size());
    const sum: Partial<Record<Layer, number>> = {};
    for (const size of this.#sizes.values()) {
      for (const layer of LAYERS) if (size[layer]) sum[layer] = (sum[layer] ?? 0) + size[layer];
    }
    return sum;
  }

  load(): EngineLoad {
    let [pendingWrites, pendingTouches] = [0, 0];
    for (const tenant of this.#open.values()) {
      pendingWrites += tenant.pendingWrites;
      pendingTouches += tenant.pendingTouches;
    }
    return { pendingWrites, pendingTouches };
  }

  /**
   * Throws `UNAVAILABLE` when the folder or all files in use cannot be written, or were moved; `CONFIGURATION_ERROR` when one was
   * sealed by somebody else. Says so where only some of them are in trouble, as the others are served, and where there is hardly any room.
   */
  async check(): Promise<string | undefined> {
    this.#assertOpen();
    try {
      accessSync(this.#folder, constants.R_OK | constants.W_OK);
    } catch (error) {
      throw new LaminaError('UNAVAILABLE', 'The data folder cannot be read and written.', { cause: error });
    }
    const looks = Array.from(this.#open.values(), (tenant) => checkTenant(tenant));
    const unopened = this.#unopened;
    if (unopened !== undefined && isThere(this.#fileOf(unopened))) looks.push(this.use(unopened, () => undefined));
    const ends = await Promise.allSettled(looks);
    const troubles = ends
      .filter((end) => end.status === 'rejected')
      .map(({ reason }) => asLaminaError(translated(reason)));
    const [first] = troubles;
    const isRoom = hasRoom(this.#folder);
    // A full disk, and what is configured wrongly, is so for all.
    const isAll = troubles.length === ends.length || !isRoom;
    const grave = isAll ? first : troubles.find(({ code }) => code === 'CONFIGURATION_ERROR');
    if (grave) throw grave;
    if (first) return `${troubles.length} of ${ends.length} tenants in use cannot be served: ${first.message}`;
    return isRoom ? undefined : NO_ROOM;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#open.clear();
    while (this.#closing.size > 0) await Promise.all(this.#closing.values());
    await this.#folds.close();
  }

  async #opened(tenantId: string): Promise<void> {
    try {
      await whenFree(this.#clock, () => this.#openTenant(tenantId));
      if (this.#unopened === tenantId) this.#unopened = undefined;
    } catch (error) {
      const told = translated(error);
      if (told instanceof LaminaError && told.code === 'UNAVAILABLE' && !isBusy(error)) this.#unopened = tenantId;
      throw error;
    }
  }

  /** Does nothing where someone else was faster. */
  #openTenant(tenantId: string): void {
    this.#assertOpen();
    if (this.#open.has(tenantId) || this.#closing.has(tenantId)) return;
    const path = this.#fileOf(tenantId);
    const refusesSealed = this.#refusesSealed;
    const shared = { codes: this.#codes, described: this.#described, held: this.#held, folds: this.#folds };
    const tenant = new SqliteTenant(path, this.#migrations, this.#clock, shared, this.#committed, refusesSealed);
    if (refusesSealed && hasDataKeys(tenant.connection)) {
      void tenant.close();
      throw sealedElsewhere();
    }
    this.#open.set(tenantId, tenant);
  }

  /** Tenant ids are UUIDs in lower case, so they are safe as file names. */
  #fileOf(tenantId: string): string {
    return join(this.#folder, 'tenants', `${tenantId}.db`);
  }

  #release(tenantId: string, tenant: SqliteTenant): void {
    if (this.#closing.has(tenantId)) return;
    this.#sizes.set(tenantId, tenant.reader.size());
    const closing = tenant.close().finally(() => this.#closing.delete(tenantId));
    this.#closing.set(tenantId, closing);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new LaminaError('UNAVAILABLE', 'This Lamina has been closed.');
  }
}

async function checkTenant(tenant: SqliteTenant): Promise<void> {
  tenant.assertInPlace();
  tenant.assertReadable();
  await tenant.assertWritable();
}
