/** Entries in SQLite: every call finds its tenant's file and hands over to it. */

import type { Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer, Scope } from '../../domain/scope.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type {
  Candidate,
  Entries,
  EntryTransaction,
  Identity,
  Moment,
  Position,
  Reach,
  Selection,
  TextStatistics,
} from '../../ports/entry-store.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteEntries implements Entries {
  readonly #tenants: SqliteTenants;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  async transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    return this.#tenants.use(principal.tenantId, (tenant) => tenant.transaction(principal.userId, work));
  }

  findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.findSame(identities),
      () => identities.map(() => null),
    );
  }

  find(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.find(ids),
      () => [],
    );
  }

  list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.list(selection, limit, position),
      () => [],
    );
  }

  timeline(principal: Principal, selection: Selection, limit: number, moment?: Moment): Promise<Entry[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.timeline(selection, limit, moment),
      () => [],
    );
  }

  personalScopes(principal: Principal, layer: Layer, userId: string): Promise<Scope[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.personalScopes(layer, userId),
      () => [],
    );
  }

  count(principal: Principal, selection: Selection): Promise<number> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.count(selection),
      () => 0,
    );
  }

  history(principal: Principal, id: string): Promise<Version[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.history(id),
      () => [],
    );
  }

  matchText(principal: Principal, reach: Reach, terms: readonly string[], limit: number): Promise<Candidate[]> {
    return this.#tenants.read(
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
    return this.#tenants.read(
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
    return this.#tenants.read(
      principal,
      (tenant) => tenant.recall.matchVector(reach, space, vector, limit),
      () => [],
    );
  }

  vectors(principal: Principal, space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.recall.vectors(space, ids),
      () => new Map(),
    );
  }

  touch(principal: Principal, ids: readonly string[]): void {
    this.#tenants.peek(principal.tenantId)?.touch(ids);
  }
}
