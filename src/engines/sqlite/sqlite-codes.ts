/**
 * The codes of one tenant, in memory and as current as its file: whoever asks gets those that the file holds at that
 * moment, whichever process wrote them. What is new is appended, what changed is read again.
 */

import type { SqliteCodeCache } from './sqlite-code-cache.ts';
import type { CodeKernel } from './sqlite-code-kernel.ts';
import { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** How many changes the file remembers; see the trigger in `sql/sqlite/0004_vector_codes.sql`. */
const KEPT_CHANGES = 4096;

/** Read at a time: a row for each would take ten times as long as one value for all. */
const PAGE = 50_000;

const LAST_CHANGE = 'SELECT max(change) AS change FROM code_changes';
const SELECT_CHANGES = `
  SELECT space_id AS spaceId, partition_id AS partitionId, seq FROM code_changes WHERE change > ?`;
const SELECT_CODE = 'SELECT code FROM embedding_codes WHERE space_id = ? AND partition_id = ? AND seq = ?';
// Joined as text, which leaves the bytes as they are, and read as a blob.
const SELECT_NEW_CODES = `
  WITH new AS (
    SELECT seq, code FROM embedding_codes WHERE space_id = ? AND partition_id = ? AND seq > ? ORDER BY seq LIMIT ?)
  SELECT json_group_array(seq) AS seqs, CAST(group_concat(code, '') AS BLOB) AS codes FROM new`;
const SELECT_CHANGED = `
  SELECT seq FROM embedding_codes WHERE space_id = ? AND partition_id = ? AND seq > ?
  UNION SELECT seq FROM code_changes WHERE change > ? AND space_id = ? AND partition_id = ?
  LIMIT ?`;

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
  readonly #names = new Set<string>();
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

  kernel(codeBytes: number): CodeKernel {
    return this.#cache.kernel(codeBytes);
  }

  /** Whether this connection may see more than {@link partition} gives: what is not committed yet. */
  isBehind(connection: SqliteConnection): boolean {
    return connection !== this.#reading;
  }

  /** Everything that the partition holds in this space, as committed. */
  partition(spaceId: number, partitionId: number, codeBytes: number): CodedPartition {
    this.catchUp();
    const name = this.#nameOf({ spaceId, partitionId });
    const held = this.#cache.get(name);
    const partition = held === undefined || held.isWorn ? new CodedPartition(codeBytes) : held;
    const before = partition.bytes;
    while (this.#appendNew(partition, spaceId, partitionId) === PAGE);
    if (partition !== held || partition.bytes !== before) this.#cache.set(name, partition);
    this.#names.add(name);
    return partition;
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
    for (const name of this.#names) this.#cache.delete(name);
    this.#names.clear();
  }

  #apply(change: Change): void {
    const name = this.#nameOf(change);
    if (!this.#cache.has(name)) return;
    const { spaceId, partitionId, seq } = change;
    const code = this.#reading.first<{ code: Buffer }>(SELECT_CODE, spaceId, partitionId, seq)?.code;
    if (!this.#cache.get(name)?.replace(seq, code)) this.#cache.delete(name);
  }

  #appendNew(partition: CodedPartition, spaceId: number, partitionId: number): number {
    const values = [spaceId, partitionId, partition.lastSeq, PAGE];
    const row = this.#reading.first<{ seqs: string; codes: Buffer | null }>(SELECT_NEW_CODES, ...values);
    if (!row?.codes) return 0;
    const seqs = JSON.parse(row.seqs) as number[];
    partition.append(seqs, row.codes);
    return seqs.length;
  }

  #nameOf({ spaceId, partitionId }: Omit<Change, 'seq'>): string {
    return `${this.#prefix}:${spaceId}:${partitionId}`;
  }
}

function lastChangeOf(connection: SqliteConnection): number {
  return connection.first<{ change: number | null }>(LAST_CHANGE)?.change ?? 0;
}
