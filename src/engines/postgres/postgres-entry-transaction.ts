/** Writing entries: the entry, its version, its words, its vector and its event, always together. */

import { partitionKey, partitionOf, type Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { idTaken } from '../../domain/error.ts';
import { assertNextVersion } from '../../domain/lifecycle.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeKey, scopeOf } from '../../domain/scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Embedding,
  EntryTransaction,
  EntryWrite,
  Identity,
  Nearest,
  Position,
  Reach,
  Selection,
} from '../../ports/entry-store.ts';
import type { FactTransaction } from '../../ports/fact-store.ts';
import type { KnownPartitions } from './known-partitions.ts';
import type { NewContents } from '../sql/new-contents.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { PostgresEntryReader } from './postgres-entry-reader.ts';
import { entryOf, writtenOf, type EntryRow } from './postgres-entry-row.ts';
import {
  DELETE_EMBEDDINGS,
  DELETE_ENTRIES,
  INSERT_ENTRIES,
  INSERT_ENTRIES_WITH_FREE_ID,
  insertEmbeddings,
  IS_KEPT,
  LOCK_ENTRIES,
  LOCK_MEANING,
  LOCK_PARTITIONS,
  LOCK_PARTITIONS_OF,
  openPartitions,
  REPLACE_ENTRIES,
  SELECT_TEXTS,
  USE_SPACES,
} from './postgres-entry-writes.ts';
import { codeOf, constraintOf } from './postgres-error.ts';
import { PostgresFactTransaction } from './postgres-fact-transaction.ts';
import { insertEmbedding, insertEntry, tellCreated, type VectorRow } from './postgres-one-entry.ts';
import { keysOf, lockPage } from './postgres-page.ts';
import { PostgresRecall } from './postgres-recall.ts';
import type { PostgresSpaces } from './postgres-spaces.ts';
import type { Ask, Statement } from './postgres-statement.ts';
import type { Enter } from './postgres-users.ts';
import { packedValues } from './postgres-vector.ts';

/** What is the same for all transactions. */
export interface EntryWriting {
  readonly clock: Clock;
  readonly spaces: PostgresSpaces;
  readonly vectorSchema: string;
  /** What was looked for just now and is not there, or is not expected to be: a transaction that is told so need not look again, but once. */
  readonly absent: WeakSet<Identity>;
  readonly newContents: NewContents;
  readonly partitions: KnownPartitions;
}

/** What one attempt tells the next one, where the same work is tried again. */
export interface Attempts {
  /** An id was taken. Now that it has been looked for again, whoever has it cannot be seen. */
  hasMetTakenId: boolean;
  /** Ids, also of what an attempt removed that failed. */
  readonly removed: Set<string>;
  /** Keys of partitions that the last one opened. */
  readonly opened: Set<string>;
}

/** An entry as this transaction knows it. */
interface Seen {
  /** Undefined for what this transaction wrote itself, so that nobody else can have changed it. */
  readonly seq: number | undefined;
  readonly entry: Entry;
}

/** Something is not as it was a moment ago in the same transaction: the database layer begins it again. */
class Collision extends Error {
  readonly code = '40001';
}

export class PostgresEntryTransaction implements EntryTransaction {
  readonly #transaction: PostgresTransaction;
  readonly #principal: Principal;
  readonly #writing: EntryWriting;
  readonly #attempts: Attempts;
  #enter: Enter;
  readonly #reader: PostgresEntryReader;
  readonly #recall: PostgresRecall;
  readonly facts: FactTransaction;
  readonly #seen = new Map<string, Seen>();
  readonly #locked = new Set<string>();
  /** Contents that were looked for and not found, by {@link contentKey}. */
  readonly #newContents = new Set<string>();

  /** `enter` is called before anything is written. */
  constructor(
    transaction: PostgresTransaction,
    principal: Principal,
    writing: EntryWriting,
    attempts: Attempts,
    enter: Enter,
  ) {
    this.#transaction = transaction;
    this.#enter = enter;
    this.#principal = principal;
    this.#writing = writing;
    this.#attempts = attempts;
    attempts.opened.clear();
    const ask: Ask = async <R>(...[sql, values, settings]: Parameters<Ask>) => {
      if (settings !== undefined) transaction.send(settings, []);
      return (await transaction.query<R>(sql, values)).rows;
    };
    this.#reader = new PostgresEntryReader(ask, writing.clock);
    this.#recall = new PostgresRecall(ask, writing.clock, writing.spaces, writing.vectorSchema);
    this.facts = new PostgresFactTransaction(transaction, principal, enter);
  }

  async find(ids: readonly string[]): Promise<Entry[]> {
    if (ids.length === 0) return [];
    this.#lock(ids);
    return this.#remember(await this.#reader.find(ids), true);
  }

  /**
   * Nothing is locked: what was found is looked at again when it is written over. Whoever comes after somebody looked in vain is
   * met by indexes when it is written.
   */
  async findSame(identities: readonly Identity[]): Promise<(Entry | null)[]> {
    const rows = this.#areAbsent(identities) ? [] : await this.#reader.findSame(identities);
    if (rows.some((row) => row !== null)) this.#writing.newContents.note(this.#principal, identities, false);
    return identities.map((identity, index) => {
      const row = rows[index] ?? null;
      const key = contentKey(identity.partition, identity.ownerId, identity.contentHash ?? '');
      if (row === null && identity.contentHash !== undefined) this.#newContents.add(key);
      else this.#newContents.delete(key);
      return row && (this.#remember([row])[0] ?? null);
    });
  }

  async list(selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    const after = position && { time: position.createdAt, id: position.id };
    const page = { selection, order: 'created', limit, after } as const;
    const { sql, values } = lockPage(page, this.#writing.clock.now());
    this.#transaction.send(sql, values);
    return this.#remember(await this.#reader.page(page));
  }

  async nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]> {
    this.#transaction.send(LOCK_MEANING, [this.#principal.tenantId, keysOf(reach.partitions)]);
    return this.#recall.nearest(reach, embedding, limit);
  }

  async insert(writes: readonly EntryWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const vectors = this.#vectorsOf(writes);
    this.#enterWriter();
    this.#openPartitions(writes.map(({ partition }) => partition));
    const [first, ...more] = writes;
    if (this.#attempts.hasMetTakenId) await this.#insertWithFreeId(writes);
    else if (first && more.length === 0) this.#insertOne(first);
    else this.#insert(writes);
    this.#sendVectors(vectors);
    for (const { entry } of writes) this.#seen.set(entry.id, { seq: undefined, entry });
  }

  async replace(writes: readonly EntryWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const vectors = this.#vectorsOf(writes);
    this.#enterWriter();
    const ids = writes.map(({ entry }) => entry.id);
    const unseen = ids.filter((id) => !this.#seen.has(id));
    this.#lock(ids);
    if (unseen.length > 0) this.#remember(await this.#reader.findStored(unseen), true);
    const before = ids.map((id) => this.#seenAs(id));
    writes.forEach(({ entry }, index) => assertNextVersion(before[index]?.entry.version ?? 0, entry.version));
    this.#openPartitions([...writes.map(({ partition }) => partition), ...before.map(({ entry }) => placeOf(entry))]);
    const rows = writes.map((write, index) => ({
      ...writtenOf(write),
      ...seenColumns(before[index]),
      seen: before[index]?.entry,
    }));
    this.#transaction.send(REPLACE_ENTRIES, [...this.#told(rows), writes.length]);
    if (vectors.length > 0) this.#transaction.send(DELETE_EMBEDDINGS, [[...new Set(vectors.map(({ id }) => id))]]);
    this.#sendVectors(vectors);
    writes.forEach(({ entry }, index) => this.#seen.set(entry.id, { seq: before[index]?.seq, entry }));
  }

  async remove(named: readonly string[]): Promise<string[]> {
    const ids = [...new Set(named)];
    if (ids.length === 0) return [];
    for (const id of ids) this.#attempts.removed.add(id);
    this.#enterWriter();
    this.#lock(ids);
    this.#transaction.send(LOCK_PARTITIONS_OF, [ids]);
    const texts = this.#transaction.query<{ text: string }>(SELECT_TEXTS, [ids]);
    const rows = ids.map((id) => ({ id, ...seenColumns(this.#seen.get(id)) }));
    const seen = rows.filter((row) => row.seen_version !== undefined).length;
    this.#transaction.send(DELETE_ENTRIES, [...this.#told(rows), seen]);
    for (const id of ids) this.#seen.delete(id);
    return (await texts).rows.map(({ text }) => text);
  }

  /** As somebody saw it just before. Each counts once, so that who begins again looks for itself. */
  #areAbsent(identities: readonly Identity[]): boolean {
    const { absent } = this.#writing;
    return identities.filter((identity) => absent.delete(identity)).length === identities.length;
  }

  /** Once is enough. */
  #enterWriter(): void {
    this.#enter(this.#principal.userId);
    this.#enter = () => {};
  }

  #insertOne(write: EntryWrite): void {
    this.#sendInsert(insertEntry(write, this.#isNew(write)));
    const { sql, values } = tellCreated(write.entry, this.#principal.userId, this.#writing.clock.now());
    this.#transaction.send(sql, values);
  }

  #insert(writes: readonly EntryWrite[]): void {
    const rows = writes.map((write, place) => ({ ...writtenOf(write), place, is_new_content: this.#isNew(write) }));
    this.#sendInsert({ sql: INSERT_ENTRIES, values: [...this.#told(rows), writes.length] });
  }

  #sendInsert({ sql, values }: Statement): void {
    this.#transaction.send(sql, values, (error) => {
      if (isTakenId(error)) this.#attempts.hasMetTakenId = true;
    });
  }

  /** Throws `VERSION_CONFLICT` where an id is not free. */
  async #insertWithFreeId(writes: readonly EntryWrite[]): Promise<void> {
    const rows = writes.map((write, place) => ({ ...writtenOf(write), place }));
    const answer = await this.#transaction.query<{ id: string }>(INSERT_ENTRIES_WITH_FREE_ID, this.#told(rows));
    const free = new Set(answer.rows.map(({ id }) => id));
    const taken = writes.find(({ entry }) => !free.delete(entry.id));
    if (taken) throw idTaken(taken.entry.id);
  }

  /** Whether its content was looked for in vain, so that it must still not be there. */
  #isNew({ entry, partition }: EntryWrite): boolean {
    return this.#newContents.has(contentKey(partition, entry.ownerId, entry.contentHash));
  }

  #lock(ids: readonly string[]): void {
    const unlocked = ids.filter((id) => !this.#locked.has(id));
    if (unlocked.length > 0) this.#transaction.send(LOCK_ENTRIES, [unlocked]);
  }

  /** Throws when one is no longer as this transaction saw it before. */
  #remember(rows: readonly EntryRow[], areLocked = false): Entry[] {
    return rows.map((row) => {
      const entry = entryOf(row);
      const known = this.#seen.get(entry.id);
      if (known && known.entry.version !== entry.version) throw new Collision('An entry was changed meanwhile.');
      this.#seen.set(entry.id, { seq: row.seq, entry });
      if (areLocked) this.#locked.add(entry.id);
      return entry;
    });
  }

  #seenAs(id: string): Seen {
    const seen = this.#seen.get(id);
    if (seen === undefined) throw new Error('An entry to be replaced is gone within its own transaction.');
    return seen;
  }

  #openPartitions(partitions: readonly Partition[]): void {
    const { tenantId } = this.#principal;
    const keys = [...new Set(partitions.map(partitionKey))];
    if (this.#writing.partitions.areKnown(tenantId, keys)) {
      this.#transaction.send(LOCK_PARTITIONS, [keys]);
      return;
    }
    const { sql, values } = openPartitions(tenantId, partitions);
    this.#transaction.send(sql, values);
    for (const key of keys) this.#attempts.opened.add(key);
  }

  /** Rows, and what an event says of them. */
  #told(rows: readonly object[]): [string, string, number] {
    return [JSON.stringify(rows), this.#principal.userId, this.#writing.clock.now()];
  }

  /** Throws {@link UnopenedSpace}. */
  #vectorsOf(writes: readonly EntryWrite[]): VectorRow[] {
    return writes.flatMap(({ entry: { id }, embedding, otherEmbedding }) =>
      [embedding, otherEmbedding].flatMap((each) =>
        each ? [{ id, space_id: this.#writing.spaces.idOf(each.space), vector: each.vector }] : [],
      ),
    );
  }

  #sendVectors(rows: readonly VectorRow[]): void {
    if (rows.length === 0) return;
    const ids = new Set(rows.map(({ id }) => id));
    const spaces = [...new Set(rows.map((row) => row.space_id))];
    const common = spaces.filter((space) => rows.filter((row) => row.space_id === space).length === ids.size);
    this.#transaction.send(USE_SPACES, [common]);
    const { sql, values } = this.#insertVectors(rows);
    this.#transaction.send(sql, values);
  }

  #insertVectors(rows: readonly VectorRow[]): Statement {
    const { vectorSchema } = this.#writing;
    const [first, ...more] = rows;
    if (first && more.length === 0) return insertEmbedding(vectorSchema, first);
    return { sql: insertEmbeddings(vectorSchema, IS_KEPT), values: packedValues(rows) };
  }
}

function seenColumns(seen: Seen | undefined): { seen_seq: number | undefined; seen_version: number | undefined } {
  return { seen_seq: seen?.seq, seen_version: seen?.entry.version };
}

function placeOf({ layer, identifiers, kind, visibility, ownerId, status }: Entry): Partition {
  const shelf = { isArchived: status === 'archived', isQuarantined: status === 'quarantined' };
  return partitionOf({ scope: scopeOf(layer, identifiers), kind, visibility, ownerId, ...shelf });
}

/** A text that is equal for contents that would be the same entry; without the audience, which makes no difference. */
function contentKey({ scope, kind }: Partition, ownerId: string | null, contentHash: string): string {
  return JSON.stringify([scopeKey(scope), kind, ownerId, contentHash]);
}

/** Somebody has the id, whether that can be seen or not. */
function isTakenId(error: unknown): boolean {
  return codeOf(error) === '23505' && constraintOf(error) === 'entries_tenant_id_id_key';
}
