/** The text index and the vector index over one connection. */

import type { Partition } from '../../domain/access.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Embedding, Nearest, Probe, Reach, Term, TextStatistics } from '../../ports/entry-store.ts';
import { saidOf } from '../sql/said.ts';
import { countLexemes, countTerms } from '../sql/term-counts.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { candidateColumns, type CandidateRow } from './sqlite-entry-row.ts';
import { SqliteEntryReader } from './sqlite-entry-reader.ts';
import { NOT_EXPIRED, SqliteNearest, type Meaning, type Place } from './sqlite-nearest.ts';
import { conditionOf } from './sqlite-selection.ts';

const PARTITION_SUMS = `
  SELECT coalesce(sum(entry_count), 0) AS documents, coalesce(sum(lexeme_count), 0) AS length,
         coalesce(sum(entry_count) FILTER (WHERE key GLOB '[[]"episodic"*'), 0) AS episodes
  FROM partitions WHERE id IN (SELECT value FROM json_each(?))`;
const DOCUMENTS_WITH_WORD = 'SELECT doc AS documents FROM entry_terms WHERE term = ?';
const SELECT_SPACE_ID = 'SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?';

// CROSS JOIN fixes the order: entries by id first, then each one's vector. Left to choose, SQLite scans all vectors.
const SELECT_VECTORS = `
  SELECT e.id, v.vector FROM entries e
  CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = e.partition_id AND v.seq = e.seq
  WHERE e.id IN (SELECT value FROM json_each(?))`;

// A plain NULL where the entry has no vector in the space.
const SIMILARITY = `(
  SELECT 1 - vec_distance_cosine(v.vector, ?) FROM embeddings v
  WHERE v.space_id = ? AND v.partition_id = e.partition_id AND v.seq = e.seq)`;

interface PartitionSums {
  readonly documents: number;
  readonly length: number;
  readonly episodes: number;
}

/** No space has this id. */
const NO_SPACE = 0;

/** Nothing has a vector in this space. */
const NO_MEANING: Meaning = { spaceId: NO_SPACE, vector: Buffer.alloc(0) };

/** Joins a partition and a lexeme into one word of the text index. No lexeme contains the dot between them. */
export function wordOf(partitionId: number, lexeme: string): string {
  return `${partitionId}·${lexeme}`;
}

export class SqliteRecall {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #reader: SqliteEntryReader;
  readonly #nearest: SqliteNearest;

  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes) {
    this.#connection = connection;
    this.#clock = clock;
    this.#reader = new SqliteEntryReader(connection, clock);
    this.#nearest = new SqliteNearest(connection, clock, codes);
  }

  candidates(reach: Reach, { terms, embedding, near, endings = 1 }: Probe, limit: number): Candidate[] {
    const columns = candidateColumns(endings);
    const place = this.#placeOf(reach);
    const meaning = embedding ? this.#meaningOf(embedding) : NO_MEANING;
    const count = place.partitions.reduce((sum, partition) => sum + partition.count, 0);
    const isWhole = near === undefined && limit >= count;
    const byMeaning = !embedding
      ? []
      : isWhole
        ? this.#nearest.all<CandidateRow>(columns, place, meaning)
        : this.#nearest.find<CandidateRow>(columns, place, meaning, limit, near);
    // Mostly everything has a vector: then a search that takes in all of its reach has all of it already.
    const isAll = byMeaning.length === count;
    const byWords = isAll ? [] : this.#withAny(columns, place, terms, meaning, limit);
    const rows = isAll ? byMeaning : new Map([...byWords, ...byMeaning].map((row) => [row.id, row])).values();
    const lexemes = terms.map(({ lexeme }) => lexeme);
    return Array.from(rows, (row) => candidateOf(row, lexemes));
  }

  nearest(reach: Reach, embedding: Embedding, limit: number): Nearest[] {
    return this.#nearest.find<Nearest>('e.id', this.#placeOf(reach), this.#meaningOf(embedding), limit);
  }

  textStatistics(partitions: readonly Partition[], lexemes: readonly string[]): TextStatistics {
    const ids = this.#reader.partitionIds(partitions);
    const sums = this.#connection.first<PartitionSums>(PARTITION_SUMS, JSON.stringify(ids));
    const { documents = 0, length = 0, episodes = 0 } = sums ?? {};
    const documentFrequencies = lexemes.map((lexeme) =>
      ids.reduce((sum, id) => sum + this.#documentsWith(wordOf(id, lexeme)), 0),
    );
    const averageLength = documents === 0 ? 0 : length / documents;
    return { documents, averageLength, episodes, documentFrequencies };
  }

  #documentsWith(word: string): number {
    return this.#connection.first<{ documents: number }>(DOCUMENTS_WITH_WORD, word)?.documents ?? 0;
  }

  vectors(space: EmbeddingSpace, ids: readonly string[]): Map<string, Float32Array> {
    const rows = this.#connection.all<{ id: string; vector: Buffer }>(
      SELECT_VECTORS,
      this.#spaceId(space),
      JSON.stringify(ids),
    );
    return new Map(rows.map(({ id, vector }) => [id, new Float32Array(new Uint8Array(vector).buffer)]));
  }

  /** A space in which nothing was embedded yet holds no vectors. */
  #spaceId({ model, dimensions }: EmbeddingSpace): number {
    return this.#connection.first<{ id: number }>(SELECT_SPACE_ID, model, dimensions)?.id ?? NO_SPACE;
  }

  #placeOf({ partitions, ...conditions }: Reach): Place {
    return { partitions: this.#reader.sized(partitions), condition: conditionOf(conditions) };
  }

  #meaningOf({ space, vector: { buffer, byteOffset, byteLength } }: Embedding): Meaning {
    return { spaceId: this.#spaceId(space), vector: Buffer.from(buffer, byteOffset, byteLength) };
  }

  /** FTS5's own rank picks the most promising ones; the core scores them. */
  #withAny(
    columns: string,
    { partitions, condition }: Place,
    terms: readonly Term[],
    { spaceId, vector }: Meaning,
    limit: number,
  ): CandidateRow[] {
    const words = partitions.flatMap(({ id }) => terms.map(({ lexeme }) => `"${wordOf(id, lexeme)}"`));
    if (words.length === 0) return [];
    const sql = `
      SELECT ${columns}, ${SIMILARITY} AS similarity
      FROM entry_text t JOIN entries e ON e.seq = t.rowid
      WHERE t.words MATCH ? AND e.seq ${NOT_EXPIRED}${condition.sql} ORDER BY t.rank LIMIT ?`;
    const now = this.#clock.now();
    return this.#connection.all(sql, vector, spaceId, words.join(' OR '), now, ...condition.values, limit);
  }
}

function candidateOf(row: CandidateRow, terms: readonly string[]): Candidate {
  return {
    id: row.id,
    layer: row.layer,
    contentHash: row.contentHash,
    importance: row.importance,
    confidence: row.confidence,
    since: row.since,
    length: countLexemes(row.lexemes),
    frequencies: countTerms(row.lexemes, terms),
    similarity: row.similarity ?? undefined,
    said: saidOf(row),
  };
}
