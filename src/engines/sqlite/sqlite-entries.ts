/** Entries in SQLite: every call finds its tenant's file and hands over to it. */

import type { Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer, Scope } from '../../domain/scope.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type {
  Candidate,
  Changed,
  ChangePosition,
  Entries,
  EntryTransaction,
  Identity,
  Moment,
  Position,
  Probe,
  Reach,
  Selection,
  TextStatistics,
} from '../../ports/entry-store.ts';
import { NewContents } from '../sql/new-contents.ts';
import type { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';
import type { SpaceGuard } from './sqlite-spaces.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteEntries implements Entries {
  readonly #tenants: SqliteTenants;
  readonly #guard: SpaceGuard;
  readonly #newContents = new NewContents();
  readonly #committed: (tenantId: string) => void;

  /** `committed` is told of every transaction, after it. */
  constructor(tenants: SqliteTenants, guard: SpaceGuard, committed: (tenantId: string) => void) {
    this.#tenants = tenants;
    this.#guard = guard;
    this.#committed = committed;
  }

  async transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    const { tenantId, userId } = principal;
    const working = async (tx: SqliteEntryTransaction): Promise<T> => {
      const value = await work(tx);
      if (tx.met.length > 0) this.#newContents.note(principal, tx.met, false);
      return value;
    };
    const value = await this.#tenants.use(tenantId, (tenant) => tenant.transaction(userId, working, this.#guard));
    this.#committed(tenantId);
    return value;
  }

  async findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]> {
    const found = await this.#tenants.read(
      principal,
      (tenant) => tenant.findSame(identities),
      () => identities.map(() => null),
    );
    const areNew = found.every((entry) => entry === null);
    this.#newContents.note(principal, identities, areNew);
    return found;
  }

  expectsNew(principal: Principal, identities: readonly Identity[]): boolean {
    return this.#newContents.areExpected(principal, identities);
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

  personalScopes(principal: Principal, layer: Layer, userId: string, shelf?: 'quarantined'): Promise<Scope[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.personalScopes(layer, userId, shelf),
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

  changed(
    principal: Principal,
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.reader.changed(partitions, at, limit, position),
      () => [],
    );
  }

  textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<TextStatistics> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.recall.textStatistics(partitions, lexemes),
      () => ({ documents: 0, averageLength: 0, episodes: 0, documentFrequencies: lexemes.map(() => 0) }),
    );
  }

  candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.recall.candidates(reach, probe, limit),
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
