/** Entries in PostgreSQL: every call is a transaction for its principal, and the policies do the rest. */

import { accessAt, addedAccesses, type Accesses } from '../../domain/access-times.ts';
import type { Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { OutdatedSpaces } from '../../domain/outdated-spaces.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer, Scope } from '../../domain/scope.ts';
import type { Clock } from '../../ports/clock.ts';
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
  Recollection,
  Selection,
  TextStatistics,
} from '../../ports/entry-store.ts';
import { NewContents } from '../sql/new-contents.ts';
import { contextOf, type Context, type PostgresDatabase } from './postgres-database.ts';
import { PostgresEntryReader } from './postgres-entry-reader.ts';
import { entryOf } from './postgres-entry-row.ts';
import { PostgresEntryTransaction, type Attempts, type EntryWriting } from './postgres-entry-transaction.ts';
import { COUNT_ACCESSES } from './postgres-entry-writes.ts';
import { isOutdated } from './postgres-error.ts';
import { PostgresRecall } from './postgres-recall.ts';
import { PostgresRecollection, type RecollectionOf } from './postgres-recollection.ts';
import { rememberedOf, type PostgresRemembered } from './postgres-remembered.ts';
import { PostgresSizes } from './postgres-sizes.ts';
import { PostgresSpaces, UnopenedSpace } from './postgres-spaces.ts';
import type { RememberedReaches } from './postgres-small-reach.ts';
import type { Ask } from './postgres-statement.ts';
import { PostgresTouches } from './postgres-touches.ts';
import { usersOf, type PostgresUsers } from './postgres-users.ts';

interface EntryTouch extends Accesses {
  readonly id: string;
}

export class PostgresEntries implements Entries {
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #sizes: PostgresSizes;
  readonly #remembered: PostgresRemembered | undefined;
  readonly #writing: EntryWriting;
  readonly #touches: PostgresTouches<EntryTouch>;
  readonly #committed: (tenantId: string) => void;

  /** `vectorSchema` is where the extension is installed; `committed` is told of every transaction, after it. */
  constructor(
    database: PostgresDatabase,
    clock: Clock,
    vectorSchema: string,
    committed: (tenantId: string) => void = () => {},
    spaces: PostgresSpaces = new PostgresSpaces(database),
    remembersSearches = true,
  ) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#sizes = new PostgresSizes(database);
    this.#remembered = remembersSearches ? rememberedOf(database) : undefined;
    const { partitions } = this.#users;
    this.#writing = { clock, spaces, vectorSchema, absent: new WeakSet(), newContents: new NewContents(), partitions };
    this.#touches = new PostgresTouches(database, COUNT_ACCESSES, (before, touch) => ({
      ...addedAccesses(before, touch),
      id: touch.id,
    }));
    this.#committed = committed;
  }

  async transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    const attempts: Attempts = { hasMetTakenId: false, removed: new Set(), opened: new Set() };
    for (;;) {
      try {
        const now = this.#writing.clock.now();
        const value = await this.#users.transaction(contextOf(principal), now, (transaction, enter) =>
          work(new PostgresEntryTransaction(transaction, principal, this.#writing, attempts, enter)),
        );
        this.#writing.partitions.add(principal.tenantId, attempts.opened);
        if (attempts.removed.size > 0) this.#forget(principal.tenantId, attempts.removed);
        this.#remembered?.settled.ofPrincipal(principal).unsettle();
        this.#committed(principal.tenantId);
        this.#sizes.note();
        return value;
      } catch (error) {
        if (isOutdated(error)) throw new OutdatedSpaces();
        if (!(error instanceof UnopenedSpace)) throw error;
        await this.#writing.spaces.open(error.space);
      }
    }
  }

  async findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]> {
    const rows = await this.#reader(contextOf(principal)).findSame(identities);
    identities.forEach((identity, index) => rows[index] === null && this.#writing.absent.add(identity));
    this.#writing.newContents.note(
      principal,
      identities,
      rows.every((row) => row === null),
    );
    return rows.map((row) => row && entryOf(row));
  }

  expectsNew(principal: Principal, identities: readonly Identity[]): boolean {
    const areExpected = this.#writing.newContents.areExpected(principal, identities);
    if (areExpected) for (const identity of identities) this.#writing.absent.add(identity);
    return areExpected;
  }

  async find(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    if (ids.length === 0) return [];
    return (await this.#reader(contextOf(principal)).find(ids)).map(entryOf);
  }

  async list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    const after = position && { time: position.createdAt, id: position.id };
    const rows = await this.#reader(contextOf(principal)).page({ selection, order: 'created', limit, after });
    return rows.map(entryOf);
  }

  async timeline(principal: Principal, selection: Selection, limit: number, moment?: Moment): Promise<Entry[]> {
    const after = moment && { time: moment.since, id: moment.id };
    const rows = await this.#reader(contextOf(principal)).page({ selection, order: 'since', limit, after });
    return rows.map(entryOf);
  }

  count(principal: Principal, selection: Selection): Promise<number> {
    return this.#reader(contextOf(principal)).count(selection);
  }

  personalScopes(principal: Principal, layer: Layer, userId: string, shelf?: 'quarantined'): Promise<Scope[]> {
    return this.#reader(contextOf(principal)).personalScopes(layer, userId, shelf);
  }

  history(principal: Principal, id: string): Promise<Version[]> {
    return this.#reader(contextOf(principal)).history(id);
  }

  changed(
    principal: Principal,
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]> {
    return this.#reader(contextOf(principal)).changed(partitions, at, limit, position);
  }

  touch(principal: Principal, ids: readonly string[]): void {
    const access = accessAt(this.#writing.clock.now());
    for (const id of ids) this.#touches.add(principal, id, { id, ...access });
  }

  textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<TextStatistics> {
    return this.#recall(principal).textStatistics(partitions, lexemes);
  }

  candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]> {
    return this.#recall(principal).candidates(reach, probe, limit);
  }

  vectors(principal: Principal, space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>> {
    return this.#recall(principal).vectors(space, ids);
  }

  recollection(): Recollection | undefined {
    const { clock, spaces } = this.#writing;
    const askingFor = (principal: Principal): Ask => this.#asking(contextOf(principal));
    if (this.#remembered === undefined) return undefined;
    const { settled, surprises } = this.#remembered;
    const foresight: RecollectionOf['foresight'] = (principal, partitions, foreseen) =>
      this.#recall(principal).foresight(partitions, foreseen);
    return new PostgresRecollection({ entries: this, clock, spaces, settled, surprises, askingFor, foresight });
  }

  /** How many entries there are by layer, over all tenants. */
  size(): Promise<Partial<Record<Layer, number>>> {
    return this.#reader({ purpose: 'directory' }).size();
  }

  get pendingTouches(): number {
    return this.#touches.size;
  }

  /** Writes out what is pending. */
  flush(): Promise<void> {
    return this.#touches.flush();
  }

  #forget(tenantId: string, removed: ReadonlySet<string>): void {
    this.#writing.partitions.forget(tenantId);
    this.#remembered?.forget(tenantId, removed);
  }

  #reader(context: Context): PostgresEntryReader {
    return new PostgresEntryReader(this.#asking(context), this.#writing.clock);
  }

  #recall(principal: Principal): PostgresRecall {
    const { clock, spaces, vectorSchema } = this.#writing;
    const { described, settled } = this.#remembered ?? {};
    const remembered =
      described &&
      settled &&
      ((endings: number): RememberedReaches => ({
        described: described.ofTenant(principal.tenantId, endings),
        settled: settled.ofPrincipal(principal),
      }));
    return new PostgresRecall(this.#asking(contextOf(principal)), clock, spaces, vectorSchema, remembered);
  }

  #asking(context: Context): Ask {
    return (sql, values, settings) => this.#database.read(context, sql, values, settings);
  }
}
