/** The embedded engine: a folder with one SQLite file per tenant. */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { LAYERS, type Layer } from '../../domain/scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type {
  Candidate,
  Engine,
  EntryTransaction,
  Identity,
  Position,
  Reach,
  Selection,
  TextStatistics,
} from '../../ports/entry-store.ts';
import { translated } from './sqlite-error.ts';
import { readMigrations, type Migration } from './sqlite-migrations.ts';
import { SqliteTenant } from './sqlite-tenant.ts';

export interface SqliteEngineOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Tenants whose files are kept open. Default 64. */
  readonly maxOpenTenants?: number;
}

export class SqliteEngine implements Engine {
  readonly name = 'sqlite';
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #migrations: Migration[];
  readonly #tenants: LRUCache<string, SqliteTenant>;
  /** Files that were put aside but still have writes to finish. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #sizes = new Map<string, Partial<Record<Layer, number>>>();
  #isClosed = false;

  constructor({ folder, clock, maxOpenTenants = 64 }: SqliteEngineOptions) {
    this.#folder = resolve(folder);
    this.#clock = clock;
    this.#migrations = readMigrations();
    this.#tenants = new LRUCache({ max: maxOpenTenants, dispose: (tenant, id) => this.#release(id, tenant) });
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new LaminaError('CONFIGURATION_ERROR', `The data folder "${folder}" cannot be made.`, { cause: error });
    }
  }

  async transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    return this.#withTenant(principal.tenantId, (tenant) => tenant.transaction(principal.userId, work));
  }

  findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]> {
    return this.#read(
      principal,
      (tenant) => tenant.reader.findSame(identities),
      () => identities.map(() => null),
    );
  }

  find(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    return this.#read(
      principal,
      (tenant) => tenant.reader.find(ids),
      () => [],
    );
  }

  list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    return this.#read(
      principal,
      (tenant) => tenant.reader.list(selection, limit, position),
      () => [],
    );
  }

  count(principal: Principal, selection: Selection): Promise<number> {
    return this.#read(
      principal,
      (tenant) => tenant.reader.count(selection),
      () => 0,
    );
  }

  history(principal: Principal, id: string): Promise<Version[]> {
    return this.#read(
      principal,
      (tenant) => tenant.reader.history(id),
      () => [],
    );
  }

  /** Tenants whose files were put aside count as they were then: a count is not worth opening them all. */
  async size(): Promise<Partial<Record<Layer, number>>> {
    for (const [tenantId, tenant] of this.#tenants.entries()) this.#sizes.set(tenantId, tenant.reader.size());
    const sum: Partial<Record<Layer, number>> = {};
    for (const size of this.#sizes.values()) {
      for (const layer of LAYERS) if (size[layer]) sum[layer] = (sum[layer] ?? 0) + size[layer];
    }
    return sum;
  }

  matchText(principal: Principal, reach: Reach, terms: readonly string[], limit: number): Promise<Candidate[]> {
    return this.#read(
      principal,
      (tenant) => tenant.recall.matchText(reach, terms, limit),
      () => [],
    );
  }

  textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    terms: readonly string[],
  ): Promise<TextStatistics> {
    return this.#read(
      principal,
      (tenant) => tenant.recall.textStatistics(partitions, terms),
      () => ({ documents: 0, averageLength: 0, documentFrequencies: terms.map(() => 0) }),
    );
  }

  matchVector(
    principal: Principal,
    reach: Reach,
    space: EmbeddingSpace,
    vector: Float32Array,
    limit: number,
  ): Promise<Candidate[]> {
    return this.#read(
      principal,
      (tenant) => tenant.recall.matchVector(reach, space, vector, limit),
      () => [],
    );
  }

  vectors(
    principal: Principal,
    space: EmbeddingSpace,
    ids: readonly string[],
  ): Promise<Map<string, Float32Array>> {
    return this.#read(
      principal,
      (tenant) => tenant.recall.vectors(space, ids),
      () => new Map(),
    );
  }

  touch(principal: Principal, ids: readonly string[]): void {
    this.#tenants.get(principal.tenantId)?.touch(ids);
  }

  async check(): Promise<void> {
    this.#assertOpen();
    try {
      accessSync(this.#folder, constants.R_OK | constants.W_OK);
    } catch (error) {
      throw new LaminaError('UNAVAILABLE', 'The data folder cannot be read and written.', { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#tenants.clear();
    while (this.#closing.size > 0) await Promise.all(this.#closing.values());
  }

  /** A tenant that never wrote anything has no file, and reading must not make one. */
  async #read<T>(principal: Principal, read: (tenant: SqliteTenant) => T, nothing: () => T): Promise<T> {
    const { tenantId } = principal;
    const isThere = this.#tenants.has(tenantId) || this.#closing.has(tenantId) || existsSync(this.#fileOf(tenantId));
    return isThere ? this.#withTenant(tenantId, read) : nothing();
  }

  /** Uses the tenant's file in the same step in which it is looked up, so that it cannot be put aside in between. */
  async #withTenant<T>(tenantId: string, use: (tenant: SqliteTenant) => T | Promise<T>): Promise<T> {
    while (this.#closing.has(tenantId)) await this.#closing.get(tenantId);
    this.#assertOpen();
    try {
      const tenant = this.#tenants.get(tenantId) ?? this.#openTenant(tenantId);
      return await use(tenant);
    } catch (error) {
      throw translated(error);
    }
  }

  #openTenant(tenantId: string): SqliteTenant {
    const tenant = new SqliteTenant(this.#fileOf(tenantId), this.#migrations, this.#clock);
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }

  /** Tenant ids are UUIDs in lower case, so they are safe as file names. */
  #fileOf(tenantId: string): string {
    return join(this.#folder, 'tenants', `${tenantId}.db`);
  }

  #release(tenantId: string, tenant: SqliteTenant): void {
    this.#sizes.set(tenantId, tenant.reader.size());
    const closing = tenant.close().finally(() => this.#closing.delete(tenantId));
    this.#closing.set(tenantId, closing);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new LaminaError('UNAVAILABLE', 'This Lamina has been closed.');
  }
}
