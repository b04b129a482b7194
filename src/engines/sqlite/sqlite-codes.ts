/**
 * The codes and vectors of one tenant, in memory and as current as its file: whoever asks gets those that the file holds at that
 * moment, whichever process wrote them. What is new is appended, what changed is read again.
 */

import type { Sort, SqliteCodeCache } from './sqlite-code-cache.ts';
import { CODE_LANES, type CodeKernel } from './sqlite-code-kernel.ts';
import { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { EVERY_SEQ } from './sqlite-embedding-writes.ts';
import type { Moment } from './sqlite-standstill.ts';
import type { VectorKernel } from './sqlite-vector-kernel.ts';

/** How many changes the file remembers; see the trigger in `sql/sqlite/0004_vector_codes.sql`. */
export const KEPT_CHANGES = 4096;

const VECTORS = { table: 'embeddings', column: 'vector', page: 1024, lanes: 1 };

/**
 * Where it stands, how much is read at a time, as one value, since rows would take ten times as long, and in which groups it
 * is held.
 */
const SOURCES: Readonly<Record<Sort, typeof VECTORS>> = {
  codes: { table: 'embedding_codes', column: 'code', page: 50_000, lanes: CODE_LANES },
  vectors: VECTORS,
  candidates: VECTORS,
};

const SORTS: readonly Sort[] = ['codes', 'vectors', 'candidates'];

const LAST_CHANGE = 'SELECT max(change) AS change FROM code_changes';
const SELECT_CHANGES = `
  SELECT space_id AS spaceId, partition_id AS partitionId, seq FROM code_changes WHERE change > ?`;
const SELECT_CHANGED = `
  SELECT seq FROM embedding_codes WHERE space_id = ? AND partition_id = ? AND seq > ?
  UNION SELECT seq FROM code_changes WHERE change > ? AND space_id = ? AND partition_id = ?
  LIMIT ?`;

const selectOne = (sort: Sort): string => {
  const { table, column } = SOURCES[sort];
  return `SELECT ${column} AS value FROM ${table} WHERE space_id = ? AND partition_id = ? AND seq = ?`;
};

// Joined as text, which leaves the bytes as they are, and read as a blob.
const selectNew = (sort: Sort): string => {
  const { table, column } = SOURCES[sort];
  return `
    WITH new AS (
      SELECT seq, ${column} AS value FROM ${table} WHERE space_id = ? AND partition_id = ? AND seq > ? ORDER BY seq LIMIT ?)
    SELECT json_group_array(seq) AS seqs, CAST(group_concat(value, '') AS BLOB) AS joined FROM new`;
};

interface Change {
  readonly spaceId: number;
  readonly partitionId: number;
  readonly seq: number;
}

export class SqliteCodes {
  readonly #cache: SqliteCodeCache;
  readonly #reading: SqliteConnection;
  readonly #prefix: string;
  /** What may be in the cache. */
  readonly #names = new Map<string, Sort>();
  /** The last change that those know of. */
  #change = 0;

  /** Codes are read by the connection that reads what was committed. */
  constructor(cache: SqliteCodeCache, reading: SqliteConnection) {
    this.#cache = cache;
    this.#reading = reading;
    this.#prefix = cache.nameTenant();
  }

  get minEntries(): number {
    return this.#cache.minEntries;
  }

  /** Undefined where codes of this length cannot be compared. */
  kernel(codeBytes: number): CodeKernel | undefined {
    return this.#cache.kernel(codeBytes);
  }

  /** Whether this connection may see more than {@link partition} gives: what is not committed yet. */
  isBehind(connection: SqliteConnection): boolean {
    return connection !== this.#reading;
  }

  /** Undefined where vectors of so many dimensions cannot be compared outside of SQLite. */
  vectorKernel(dimensions: number): VectorKernel | undefined {
    return this.#cache.vectorKernel(dimensions);
  }

  /**
   * Everything that the partition holds in this space, as committed; `bytes` is the length of each. The file is asked, unless
   * that was done in the same moment.
   */
  partition(
    spaceId: number,
    partitionId: number,
    bytes: number,
    sort: Exclude<Sort, 'candidates'> = 'codes',
    moment?: Moment,
  ): CodedPartition {
    const current = moment && this.heldAt(moment, spaceId, partitionId, sort);
    if (current) return current;
    this.catchUp();
    const held = this.held(spaceId, partitionId, sort);
    const partition =
      held === undefined || held.isWorn ? new CodedPartition({ bytes, lanes: SOURCES[sort].lanes }) : held;
    while (this.#append(sort, partition, spaceId, partitionId) === SOURCES[sort].page);
    moment?.set(this.#nameOf(sort, { spaceId, partitionId }), true);
    return partition;
  }

  /**
   * The vectors of a large partition with about `count` entries, as far as they were read: some more each time. Undefined where
   * others would have to give way to them.
   */
  candidates(
    spaceId: number,
    partitionId: number,
    bytes: number,
    count: number,
    moment: Moment,
  ): CodedPartition | undefined {
    const current = this.heldAt(moment, spaceId, partitionId, 'candidates');
    if (current) return current;
    this.catchUp();
    const held = this.held(spaceId, partitionId, 'candidates');
    const isNew = held === undefined || held.isWorn;
    if (isNew && !this.#cache.hasRoomFor(CodedPartition.bytesOf(bytes, count))) return undefined;
    const partition = isNew ? new CodedPartition({ bytes }, count) : held;
    const isAll = this.#append('candidates', partition, spaceId, partitionId) < SOURCES.candidates.page;
    if (isAll) moment.set(this.#nameOf('candidates', { spaceId, partitionId }), true);
    return partition;
  }

  /** What is held and was read to the end in this moment, since when nothing was committed. */
  heldAt(moment: Moment, spaceId: number, partitionId: number, sort: Sort): CodedPartition | undefined {
    return moment.has(this.#nameOf(sort, { spaceId, partitionId })) ? this.held(spaceId, partitionId, sort) : undefined;
  }

  /** As it was left; undefined where it was let go of. */
  held(spaceId: number, partitionId: number, sort: Sort): CodedPartition | undefined {
    return this.#cache.get(sort, this.#nameOf(sort, { spaceId, partitionId }));
  }

  /**
   * The entries that differ, for this connection, from what {@link partition} gave: written in the transaction that it
   * is in. Undefined when there are too many to tell.
   */
  aheadIn(
    connection: SqliteConnection,
    spaceId: number,
    partitionId: number,
    { lastSeq }: CodedPartition,
  ): number[] | undefined {
    if (lastChangeOf(connection) - this.#change > KEPT_CHANGES) return undefined;
    const values = [spaceId, partitionId, lastSeq, this.#change, spaceId, partitionId, KEPT_CHANGES];
    const rows = connection.all<{ seq: number }>(SELECT_CHANGED, ...values);
    return rows.length === KEPT_CHANGES ? undefined : rows.map(({ seq }) => seq);
  }

  /** Takes out of memory what is no longer in the file, and puts in what stands there in its place. */
  catchUp(): void {
    const last = lastChangeOf(this.#reading);
    if (last === this.#change) return;
    const isKnown = last > this.#change && last - this.#change <= KEPT_CHANGES;
    if (!isKnown) this.forget();
    else for (const change of this.#reading.all<Change>(SELECT_CHANGES, this.#change)) this.#apply(change);
    this.#change = last;
  }

  /** After a removal: lets go of what is gone now, and not when somebody next searches there. Never in the way. */
  letGo(): void {
    if (this.#names.size === 0) return;
    try {
      this.catchUp();
    } catch {
      // The file is being closed, or cannot be read at the moment.
      this.forget();
    }
  }

  /** Lets go of everything. */
  forget(): void {
    for (const [name, sort] of this.#names) this.#cache.delete(sort, name);
    this.#names.clear();
  }

  #apply(change: Change): void {
    const { spaceId, partitionId, seq } = change;
    for (const sort of SORTS) {
      const held = this.held(spaceId, partitionId, sort);
      if (held === undefined) continue;
      if (seq === EVERY_SEQ) {
        if (sort === 'codes') this.#cache.delete(sort, this.#nameOf(sort, change));
        continue;
      }
      const row = this.#reading.first<{ value: Buffer }>(selectOne(sort), spaceId, partitionId, seq);
      const hasPlace = held.replace(seq, row?.value);
      // Candidates need not be all there.
      if (!hasPlace && sort !== 'candidates') this.#cache.delete(sort, this.#nameOf(sort, change));
    }
  }

  /** Reads a page of what is new, and holds what it has become. */
  #append(sort: Sort, partition: CodedPartition, spaceId: number, partitionId: number): number {
    const before = partition.bytes;
    const values = [spaceId, partitionId, partition.lastSeq, SOURCES[sort].page];
    const row = this.#reading.first<{ seqs: string; joined: Buffer | null }>(selectNew(sort), ...values);
    const seqs = row?.joined ? (JSON.parse(row.seqs) as number[]) : [];
    if (row?.joined) partition.append(seqs, row.joined);
    const name = this.#nameOf(sort, { spaceId, partitionId });
    if (partition.bytes !== before || this.#cache.get(sort, name) !== partition) this.#cache.set(sort, name, partition);
    this.#names.set(name, sort);
    return seqs.length;
  }

  #nameOf(sort: Sort, { spaceId, partitionId }: Omit<Change, 'seq'>): string {
    return `${this.#prefix}:${sort}:${spaceId}:${partitionId}`;
  }
}

function lastChangeOf(connection: SqliteConnection): number {
  return connection.first<{ change: number | null }>(LAST_CHANGE)?.change ?? 0;
}
