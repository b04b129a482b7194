/** The text index and the vector index over one connection. */

import type { Partition } from '../../domain/access.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Reach, TextStatistics } from '../../ports/entry-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { CANDIDATE_COLUMNS, splitLexemes, type CandidateRow } from './sqlite-entry-row.ts';
import { SqliteEntryReader } from './sqlite-entry-reader.ts';
import { conditionOf } from './sqlite-selection.ts';

const PARTITION_SUMS = `
  SELECT coalesce(sum(entry_count), 0) AS documents, coalesce(sum(lexeme_count), 0) AS lexemes
  FROM partitions WHERE id IN (SELECT value FROM json_each(?))`;
const DOCUMENTS_WITH_WORD = 'SELECT doc AS documents FROM entry_terms WHERE term = ?';
const SELECT_SPACE_ID = 'SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?';

// Usually empty, and then free: cheaper than looking at each entry for its expiry.
const NOT_EXPIRED = 'NOT IN (SELECT seq FROM entries WHERE expires_at <= ?)';

// CROSS JOIN fixes the order: entries by id first, then each one's vector. Left to choose, SQLite scans all vectors.
const SELECT_VECTORS = `
  SELECT e.id, v.vector FROM entries e
  CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = e.partition_id AND v.seq = e.seq
  WHERE e.id IN (SELECT value FROM json_each(?))`;

/** Joins a partition and a lexeme into one word of the text index. No lexeme contains the dot between them. */
export function wordOf(partitionId: number, lexeme: string): string {
  return `${partitionId}·${lexeme}`;
}

export class SqliteRecall {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #reader: SqliteEntryReader;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#reader = new SqliteEntryReader(connection, clock);
  }

  /** FTS5's own rank picks the most promising ones; the core scores them. */
  matchText({ partitions, ...conditions }: Reach, terms: readonly string[], limit: number): Candidate[] {
    const words = this.#reader.partitionIds(partitions).flatMap((id) => terms.map((term) => `"${wordOf(id, term)}"`));
    if (words.length === 0) return [];
    const condition = conditionOf(conditions);
    const sql = `
      SELECT ${CANDIDATE_COLUMNS} FROM entry_text t JOIN entries e ON e.seq = t.rowid
      WHERE t.words MATCH ? AND e.seq ${NOT_EXPIRED}${condition.sql} ORDER BY t.rank LIMIT ?`;
    return this.#candidates(sql, words.join(' OR '), this.#clock.now(), ...condition.values, limit);
  }

  textStatistics(partitions: readonly Partition[], terms: readonly string[]): TextStatistics {
    const ids = this.#reader.partitionIds(partitions);
    const sums = this.#connection.first<{ documents: number; lexemes: number }>(PARTITION_SUMS, JSON.stringify(ids));
    const { documents = 0, lexemes = 0 } = sums ?? {};
    const documentFrequencies = terms.map((term) =>
      ids.reduce((sum, id) => sum + this.#documentsWith(wordOf(id, term)), 0),
    );
    return { documents, averageLength: documents === 0 ? 0 : lexemes / documents, documentFrequencies };
  }

  #documentsWith(word: string): number {
    return this.#connection.first<{ documents: number }>(DOCUMENTS_WITH_WORD, word)?.documents ?? 0;
  }

  /** Compares every vector of the partitions, and none of any other; only the nearest are joined with their entries. */
  matchVector(
    { partitions, ...conditions }: Reach,
    space: EmbeddingSpace,
    vector: Float32Array,
    limit: number,
  ): Candidate[] {
    const ids = JSON.stringify(this.#reader.partitionIds(partitions));
    const condition = conditionOf(conditions);
    const among =
      condition.sql === ''
        ? ''
        : `AND v.seq IN (
             SELECT e.seq FROM entries e
             WHERE e.partition_id IN (SELECT value FROM json_each(?))${condition.sql})`;
    const sql = `
      WITH nearest AS (
        SELECT v.seq, vec_distance_cosine(v.vector, ?) AS distance FROM embeddings v
        WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED} ${among}
        ORDER BY distance LIMIT ?)
      SELECT ${CANDIDATE_COLUMNS}, 1 - n.distance AS similarity FROM nearest n JOIN entries e ON e.seq = n.seq`;
    const query = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    const filtered = condition.sql === '' ? [] : [ids, ...condition.values];
    return this.#candidates(sql, query, this.#spaceId(space), ids, this.#clock.now(), ...filtered, limit);
  }

  vectors(space: EmbeddingSpace, ids: readonly string[]): Map<string, Float32Array> {
    const rows = this.#connection.all<{ id: string; vector: Buffer }>(
      SELECT_VECTORS,
      this.#spaceId(space),
      JSON.stringify(ids),
    );
    return new Map(rows.map(({ id, vector }) => [id, new Float32Array(new Uint8Array(vector).buffer)]));
  }

  /** No space has the id 0: a space in which nothing was embedded yet holds no vectors. */
  #spaceId({ model, dimensions }: EmbeddingSpace): number {
    return this.#connection.first<{ id: number }>(SELECT_SPACE_ID, model, dimensions)?.id ?? 0;
  }

  #candidates(sql: string, ...values: (string | number | Buffer | null)[]): Candidate[] {
    const rows = this.#connection.all<CandidateRow>(sql, ...values);
    return rows.map((row) => ({ ...row, lexemes: splitLexemes(row.lexemes) }));
  }
}
