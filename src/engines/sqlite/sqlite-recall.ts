/** The text index and the vector index over one connection. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Embedding, Nearest, Probe, Reach, Term, TextStatistics } from '../../ports/entry-store.ts';
import { candidateOf } from '../sql/described.ts';
import { countTerms } from '../sql/term-counts.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { Compared } from './sqlite-described.ts';
import { SqliteDescribing, type RecallMemory } from './sqlite-describing.ts';
import { NOT_EXPIRED, type Meaning } from './sqlite-coded-search.ts';
import { SqliteNearest, type Place } from './sqlite-nearest.ts';
import { conditionOf } from './sqlite-selection.ts';
import { SqliteVectors, type Near } from './sqlite-vectors.ts';
import { SqliteWholeReach } from './sqlite-whole-reach.ts';

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

/** Joins a partition and a lexeme into one word of the text index. No lexeme contains the dot between them. */
export function wordOf(partitionId: number, lexeme: string): string {
  return `${partitionId}·${lexeme}`;
}

export class SqliteRecall {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #vectors: SqliteVectors | undefined;
  readonly #nearest: SqliteNearest;
  readonly #describing: SqliteDescribing;
  readonly #wholeReach: SqliteWholeReach;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search: within a transaction, which sees what nobody else does. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes, memory?: RecallMemory) {
    this.#connection = connection;
    this.#clock = clock;
    this.#vectors = codes && memory && new SqliteVectors(connection, clock, codes, memory.standstill);
    this.#nearest = new SqliteNearest(connection, clock, codes, this.#vectors);
    this.#describing = new SqliteDescribing(connection, memory);
    this.#wholeReach = new SqliteWholeReach(connection, this.#nearest, this.#describing, memory);
    this.#memory = memory;
  }

  candidates(reach: Reach, { terms, embedding, near, endings = 1 }: Probe, limit: number): Candidate[] {
    const place = this.#placeOf(reach);
    const meaning = embedding && this.#meaningOf(embedding);
    const count = sumOf(place.partitions, (partition) => partition.count);
    const isWhole = near === undefined && limit >= count;
    const whole = meaning && isWhole ? this.#wholeReach.compared(endings, place, meaning) : [];
    // Mostly everything has a vector: then a search that takes in all of its reach has all of it already.
    const isAll = whole.length === count;
    const others = (): Compared[] =>
      this.#describing.some(endings, place, (moment) => [
        ...this.#withAny(place, terms, meaning, limit),
        ...(meaning && !isWhole ? this.#nearest.near(place, meaning, limit, moment, near) : []),
      ]);
    const found = isAll ? whole : uniqueOf([...others(), ...whole]);
    const lexemes = terms.map(({ lexeme }) => lexeme);
    return found.map(({ described, similarity }) =>
      candidateOf(described.entry, countTerms(described.lexemes, lexemes), similarity ?? undefined),
    );
  }

  nearest(reach: Reach, embedding: Embedding, limit: number): Nearest[] {
    return this.#nearest.find(this.#placeOf(reach), this.#meaningOf(embedding), limit);
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
    const spaceId = this.#spaceId(space);
    const vectors = this.#vectors?.ofEntries(spaceId, space.dimensions, ids) ?? new Map<string, Float32Array>();
    const others = ids.filter((id) => !vectors.has(id));
    if (others.length === 0) return vectors;
    const rows = this.#connection.all<{ id: string; vector: Buffer }>(SELECT_VECTORS, spaceId, JSON.stringify(others));
    for (const { id, vector } of rows) vectors.set(id, new Float32Array(new Uint8Array(vector).buffer));
    return vectors;
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
    { partitions, condition }: Place,
    terms: readonly Term[],
    meaning: Meaning | undefined,
    limit: number,
  ): readonly Near[] {
    const words = partitions.flatMap(({ id }) => terms.map(({ lexeme }) => `"${wordOf(id, lexeme)}"`));
    if (words.length === 0) return [];
    // To rank them all takes longer than to find them.
    const isAll = limit >= sumOf(partitions, ({ count }) => count);
    const sql = `
      SELECT t.rowid AS seq, ${meaning ? SIMILARITY : 'NULL'} AS similarity
      FROM entry_text t ${meaning || condition.sql ? 'JOIN entries e ON e.seq = t.rowid' : ''}
      WHERE t.words MATCH ? AND t.rowid ${NOT_EXPIRED}${condition.sql} ${isAll ? '' : 'ORDER BY t.rank'} LIMIT ?`;
    const asked = meaning ? [meaning.vector, meaning.spaceId] : [];
    const values = [words.join(' OR '), this.#clock.now(), ...condition.values, limit];
    return this.#connection.all(sql, ...asked, ...values);
  }
}

/** By their numbers. */
function uniqueOf(all: readonly Compared[]): Compared[] {
  return [...new Map(all.map((each) => [each.described.seq, each])).values()];
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
