/** Writing entries: the entry, its version, its words, its vector, its event and the counters, always together. */

import type { Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EventType } from '../../domain/event.ts';
import { assertNextVersion } from '../../domain/lifecycle.ts';
import type { ArchivedEntry } from '../../ports/archive.ts';
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
import { eventAudience } from '../sql/event-audience.ts';
import { MIN_ENTRIES } from './sqlite-code-cache.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { codeIfLarge, insertEmbedding, moveEmbeddings, noteRemoved, noteRewritten } from './sqlite-embedding-writes.ts';
import { dropIfEmpty, spaceIdOf, storedPartition, type StoredPartition } from './sqlite-entry-places.ts';
import { SqliteEntryReader } from './sqlite-entry-reader.ts';
import { ENTRY_COLUMNS, entryOf, rowOf, splitLexemes, WRITTEN_COLUMNS, type EntryRow } from './sqlite-entry-row.ts';
import { SqliteFactTransaction } from './sqlite-fact-transaction.ts';
import { SqliteRecall } from './sqlite-recall.ts';
import { wordOf } from './sqlite-words.ts';
import type { SpaceGuard } from './sqlite-spaces.ts';

const PLACEHOLDERS = WRITTEN_COLUMNS.map(() => '?').join(', ');
const INSERT_ENTRY = `INSERT INTO entries (${WRITTEN_COLUMNS.join(', ')}) VALUES (${PLACEHOLDERS})`;
const RESTORE_ENTRY = `
  INSERT INTO entries (${WRITTEN_COLUMNS.join(', ')}, access_count, last_accessed_at, access_times)
  VALUES (${PLACEHOLDERS}, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const UPDATE_ENTRY = `UPDATE entries SET ${WRITTEN_COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE seq = ?`;
const DELETE_ENTRY = 'DELETE FROM entries WHERE seq = ?';
const SELECT_STORED = `SELECT ${ENTRY_COLUMNS}, e.lexemes FROM entries e WHERE e.id = ?`;
const INSERT_VERSION = 'INSERT INTO entry_versions (seq, version, entry, replaced_at) VALUES (?, ?, ?, ?)';
const SELECT_VERSIONS = 'SELECT entry FROM entry_versions WHERE seq = ?';
const INSERT_TEXT = 'INSERT INTO entry_text (rowid, words) VALUES (?, ?)';
// The index does not keep the text, so that it has to be told which words to take out.
const DELETE_TEXT = "INSERT INTO entry_text (entry_text, rowid, words) VALUES ('delete', ?, ?)";
const COUNT_IN_PARTITION =
  'UPDATE partitions SET entry_count = entry_count + ?, lexeme_count = lexeme_count + ? WHERE id = ?';
const DELETE_EMBEDDINGS = 'DELETE FROM embeddings WHERE seq = ?';
const INSERT_EVENT =
  'INSERT INTO events (type, entry_id, version, actor_id, at, audience, agent_id) VALUES (?, ?, ?, ?, ?, ?, ?)';

function wordsOf(partitionId: number, lexemes: readonly string[]): string {
  // As one text with what stands before each: a text for each would take several times as long.
  return lexemes.length === 0 ? '' : wordOf(partitionId, lexemes.join(` ${wordOf(partitionId, '')}`));
}

function lastOfEachSpace(embeddings: readonly Embedding[]): Iterable<Embedding> {
  const nameOf = ({ space }: Embedding): string => `${space.dimensions} ${space.model}`;
  return new Map(embeddings.map((embedding) => [nameOf(embedding), embedding])).values();
}

export class SqliteEntryTransaction implements EntryTransaction {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #actorId: string;
  readonly #removed: () => void;
  readonly #codes: SqliteCodes | undefined;
  readonly #guard: SpaceGuard | undefined;
  readonly #reader: SqliteEntryReader;
  #facts: FactTransaction | undefined;
  /** What was looked for and is there. */
  readonly met: Identity[] = [];

  /** `removed` is told when something goes for good. By codes large partitions are searched faster. */
  constructor(
    connection: SqliteConnection,
    clock: Clock,
    actorId: string,
    removed: () => void = () => {},
    codes?: SqliteCodes,
    guard?: SpaceGuard,
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.#actorId = actorId;
    this.#removed = removed;
    this.#codes = codes;
    this.#guard = guard;
    this.#reader = new SqliteEntryReader(connection, clock);
  }

  /** Most transactions write none. */
  get facts(): FactTransaction {
    return (this.#facts ??= new SqliteFactTransaction(this.#connection, this.#removed));
  }

  async find(ids: readonly string[]): Promise<Entry[]> {
    return this.#reader.find(ids);
  }

  async findSame(identities: readonly Identity[]): Promise<(Entry | null)[]> {
    const found = this.#reader.findSame(identities);
    this.met.push(...identities.filter((_, index) => found[index] !== null));
    return found;
  }

  async list(selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    return this.#reader.list(selection, limit, position);
  }

  async nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]> {
    return new SqliteRecall(this.#connection, this.#clock, this.#codes).nearest(reach, embedding, limit);
  }

  async insert(writes: readonly EntryWrite[]): Promise<void> {
    const added = new Map<StoredPartition, { entries: number; lexemes: number }>();
    let latest: { readonly of: Partition; readonly stored: StoredPartition } | undefined;
    for (const write of this.#admitted(writes)) {
      // Most of what is written together lies together.
      if (latest?.of !== write.partition) {
        latest = { of: write.partition, stored: storedPartition(this.#connection, write.partition) };
      }
      const { stored } = latest;
      const { lastInsertRowid } = this.#connection.run(INSERT_ENTRY, ...rowOf(write, stored.id));
      this.#index(Number(lastInsertRowid), stored, write, true);
      this.#record('created', write.entry);
      const counts = added.get(stored);
      if (counts === undefined) added.set(stored, { entries: 1, lexemes: write.lexemes.length });
      else {
        counts.entries += 1;
        counts.lexemes += write.lexemes.length;
      }
    }
    for (const [stored, { entries, lexemes }] of added) this.#count(stored, entries, lexemes);
  }

  async replace(writes: readonly EntryWrite[]): Promise<void> {
    for (const [write, row] of this.#admitted(writes).map((each) => [each, this.#storedBefore(each)] as const)) {
      const seq = Number(row.seq);
      const before = entryOf(row);
      const replacedAt = Date.parse(write.entry.updatedAt);
      this.#connection.run(INSERT_VERSION, seq, row.version, JSON.stringify(before), replacedAt);
      this.#unindex(row);
      const partition = storedPartition(this.#connection, write.partition);
      const isMoved = partition.id !== row.partition_id;
      this.#connection.run(UPDATE_ENTRY, ...rowOf(write, partition.id), seq);
      if (write.embedding) this.#connection.run(DELETE_EMBEDDINGS, seq);
      else if (isMoved) moveEmbeddings(this.#connection, seq, partition);
      this.#index(seq, partition, write, false);
      this.#count(partition, 1, write.lexemes.length);
      if (isMoved) dropIfEmpty(this.#connection, row.partition_id);
      this.#record('updated', write.entry, before);
    }
  }

  /** Puts entries in as they were elsewhere, and leaves alone what is there. It is no event: nothing happened to them. */
  restore(entries: readonly ArchivedEntry[]): void {
    for (const { entry, partition, lexemes, embeddings, accessTimes } of entries) {
      const write: EntryWrite = { entry, partition, lexemes, embedding: undefined };
      const stored = storedPartition(this.#connection, partition);
      const lastAccess = entry.lastAccessedAt === undefined ? null : Date.parse(entry.lastAccessedAt);
      const times = accessTimes && JSON.stringify(accessTimes.map((time) => Date.parse(time)));
      const accesses = [entry.accessCount, lastAccess, times ?? null];
      const { changes, lastInsertRowid } = this.#connection.run(RESTORE_ENTRY, ...rowOf(write, stored.id), ...accesses);
      if (changes === 0) {
        dropIfEmpty(this.#connection, stored.id);
        continue;
      }
      this.#index(Number(lastInsertRowid), stored, write, true);
      for (const each of lastOfEachSpace(embeddings)) this.#embed(Number(lastInsertRowid), stored, each, true);
      this.#count(stored, 1, write.lexemes.length);
    }
  }

  /** Puts other spellings of the same entries in their place. It is no event, and no version of them. */
  rewrite(entries: readonly ArchivedEntry[]): void {
    for (const { entry, partition, lexemes } of entries) {
      const row = this.#stored(entry.id);
      if (row === undefined) continue;
      const [seq, partitionId] = [Number(row.seq), Number(row.partition_id)];
      const write: EntryWrite = { entry, partition, lexemes, embedding: undefined };
      this.#unindex(row);
      this.#connection.run(UPDATE_ENTRY, ...rowOf(write, partitionId), seq);
      this.#connection.run(INSERT_TEXT, seq, wordsOf(partitionId, lexemes));
      this.#connection.run(COUNT_IN_PARTITION, 1, lexemes.length, partitionId);
      noteRewritten(this.#connection, partitionId, seq);
    }
  }

  async remove(ids: readonly string[]): Promise<string[]> {
    const texts: string[] = [];
    if (ids.length > 0) this.#removed();
    for (const id of ids) {
      const row = this.#stored(id);
      if (row === undefined) continue;
      const entry = entryOf(row);
      const past = this.#connection.all<{ entry: string }>(SELECT_VERSIONS, row.seq);
      for (const state of [entry, ...past.map((version) => JSON.parse(version.entry) as Entry)]) {
        texts.push(state.content, ...(state.triggerCondition === undefined ? [] : [state.triggerCondition]));
      }
      this.#unindex(row);
      noteRemoved(this.#connection, Number(row.partition_id), Number(row.seq));
      // Versions and vectors go with it, by foreign key.
      this.#connection.run(DELETE_ENTRY, row.seq);
      dropIfEmpty(this.#connection, row.partition_id);
      this.#record('deleted', entry);
    }
    return texts;
  }

  /** Throws `OutdatedSpaces`. */
  #admitted(writes: readonly EntryWrite[]): readonly EntryWrite[] {
    return this.#guard && writes.some(({ embedding }) => embedding)
      ? this.#guard.admitted(writes, this.#connection)
      : writes;
  }

  /** Throws when the write does not follow it. */
  #storedBefore({ entry }: EntryWrite): EntryRow {
    const row = this.#stored(entry.id);
    if (row === undefined) throw new Error('An entry to be replaced is gone within its own transaction.');
    assertNextVersion(Number(row.version), entry.version);
    return row;
  }

  #stored(id: string): EntryRow | undefined {
    return this.#connection.first<EntryRow>(SELECT_STORED, id);
  }

  #index(seq: number, partition: StoredPartition, write: EntryWrite, isNew: boolean): void {
    const { lexemes, embedding, otherEmbedding } = write;
    this.#connection.run(INSERT_TEXT, seq, wordsOf(partition.id, lexemes));
    if (embedding !== undefined) this.#embed(seq, partition, embedding, isNew);
    if (otherEmbedding !== undefined) this.#embed(seq, partition, otherEmbedding, isNew);
  }

  #embed(seq: number, partition: StoredPartition, { space, vector }: Embedding, isNew: boolean): void {
    const spaceId = spaceIdOf(this.#connection, space, this.#clock.now());
    insertEmbedding(this.#connection, { spaceId, partition, seq }, vector, isNew);
  }

  #count(partition: StoredPartition, entries: number, lexemes: number): void {
    this.#connection.run(COUNT_IN_PARTITION, entries, lexemes, partition.id);
    codeIfLarge(this.#connection, partition, entries, this.#codes?.minEntries ?? MIN_ENTRIES);
  }

  #unindex(row: EntryRow): void {
    const lexemes = splitLexemes(String(row.lexemes));
    this.#connection.run(DELETE_TEXT, row.seq, wordsOf(Number(row.partition_id), lexemes));
    this.#connection.run(COUNT_IN_PARTITION, -1, -lexemes.length, row.partition_id);
  }

  #record(type: EventType, entry: Entry, before: Entry = entry): void {
    const { audience, agentId } = eventAudience(entry, before);
    const { id, version } = entry;
    const at = this.#clock.now();
    this.#connection.run(INSERT_EVENT, type, id, version, this.#actorId, at, audience ?? '', agentId ?? '');
  }
}
