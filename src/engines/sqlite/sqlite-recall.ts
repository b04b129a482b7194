/** The text index and the vector index over one connection. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Embedding, Nearest, Probe, Reach, Term, TextStatistics } from '../../ports/entry-store.ts';
import { candidateOf } from '../sql/described.ts';
import { countTerms } from '../sql/term-counts.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { comparedOf, type Compared, type ComparedRow } from './sqlite-described.ts';
import { candidateColumns } from './sqlite-entry-row.ts';
import { NOT_EXPIRED, type Meaning } from './sqlite-coded-search.ts';
import { SqliteNearest, type Place } from './sqlite-nearest.ts';
import { conditionOf } from './sqlite-selection.ts';
import { SqliteVectors } from './sqlite-vectors.ts';
import { SqliteWholeReach, type RecallMemory } from './sqlite-whole-reach.ts';

const SELECT_PARTITIONS = `
  SELECT id, entry_count AS documents, lexeme_count AS lexemes, key GLOB '[[]"episodic"*' AS isEpisodic
  FROM partitions WHERE key IN (SELECT value FROM json_each(?))`;
// Asked of all words at once: to begin with the index anew for each would take twice as long.
const COUNT_WORDS = `
  SELECT t.term AS word, t.doc AS documents FROM json_each(?) w CROSS JOIN entry_terms t ON t.term = w.value`;
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

interface PartitionRow {
  readonly id: number;
  readonly documents: number;
  readonly lexemes: number;
  readonly isEpisodic: 0 | 1;
}

interface WordCount {
  readonly word: string;
  readonly documents: number;
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
  readonly #nearest: SqliteNearest;
  readonly #wholeReach: SqliteWholeReach;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search: within a transaction, which sees what nobody else does. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes, memory?: RecallMemory) {
    this.#connection = connection;
    this.#clock = clock;
    const vectors = codes && memory && new SqliteVectors(connection, clock, codes, memory.standstill);
    this.#nearest = new SqliteNearest(connection, clock, codes, vectors);
    this.#wholeReach = new SqliteWholeReach(connection, this.#nearest, memory);
    this.#memory = memory;
  }

  candidates(reach: Reach, { terms, embedding, near, endings = 1 }: Probe, limit: number): Candidate[] {
    const columns = candidateColumns(endings);
    const place = this.#placeOf(reach);
    const meaning = embedding ? this.#meaningOf(embedding) : NO_MEANING;
    const count = sumOf(place.partitions, (partition) => partition.count);
    const isWhole = near === undefined && limit >= count;
    const byMeaning = !embedding
      ? []
      : isWhole
        ? this.#wholeReach.compared(endings, place, meaning)
        : this.#nearest.find<ComparedRow>(columns, place, meaning, limit, near).map(comparedOf);
    // Mostly everything has a vector: then a search that takes in all of its reach has all of it already.
    const isAll = byMeaning.length === count;
    const byWords = isAll ? [] : this.#withAny(columns, place, terms, meaning, limit).map(comparedOf);
    const found = isAll ? byMeaning : uniqueOf([...byWords, ...byMeaning]);
    const lexemes = terms.map(({ lexeme }) => lexeme);
    return found.map(({ described, similarity }) =>
      candidateOf(described.entry, countTerms(described.lexemes, lexemes), similarity ?? undefined),
    );
  }

  nearest(reach: Reach, embedding: Embedding, limit: number): Nearest[] {
    return this.#nearest.find<Nearest>('e.id', this.#placeOf(reach), this.#meaningOf(embedding), limit);
  }

  textStatistics(partitions: readonly Partition[], lexemes: readonly string[]): TextStatistics {
    const found = this.#partitions(partitions);
    const documents = sumOf(found, (each) => each.documents);
    const length = sumOf(found, (each) => each.lexemes);
    const episodes = sumOf(found, (each) => each.isEpisodic * each.documents);
    const documentFrequencies = this.#documentsWith(
      found.map(({ id }) => id),
      lexemes,
    );
    return { documents, averageLength: documents === 0 ? 0 : length / documents, episodes, documentFrequencies };
  }

  /** Those that hold anything. */
  #partitions(partitions: readonly Partition[]): readonly PartitionRow[] {
    const keys = JSON.stringify(partitions.map(partitionKey));
    const read = (): PartitionRow[] => this.#connection.all(SELECT_PARTITIONS, keys);
    return this.#memory ? this.#memory.standstill.once(keys, read) : read();
  }

  /** Of each lexeme, how many entries of these partitions have it. */
  #documentsWith(partitionIds: readonly number[], lexemes: readonly string[]): number[] {
    const words = partitionIds.flatMap((id) => lexemes.map((lexeme) => wordOf(id, lexeme)));
    const counts = this.#memory?.standstill.moment() ?? new Map<string, unknown>();
    const unknown = words.filter((word) => !counts.has(word));
    for (const word of unknown) counts.set(word, 0);
    const rows = unknown.length === 0 ? [] : this.#connection.all<WordCount>(COUNT_WORDS, JSON.stringify(unknown));
    for (const { word, documents } of rows) counts.set(word, documents);
    return lexemes.map((lexeme) => sumOf(partitionIds, (id) => Number(counts.get(wordOf(id, lexeme)))));
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
    const sized = this.#partitions(partitions).map(({ id, documents: count }) => ({ id, count }));
    return { partitions: sized, condition: conditionOf(conditions) };
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
  ): ComparedRow[] {
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

/** By their numbers. */
function uniqueOf(all: readonly Compared[]): Compared[] {
  return [...new Map(all.map((each) => [each.described.seq, each])).values()];
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
