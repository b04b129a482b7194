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
import { nearestOf, SqliteNearest, type Place, type SizedPartition } from './sqlite-nearest.ts';
import { conditionOf } from './sqlite-selection.ts';
import type { Moment } from './sqlite-standstill.ts';
import { expiredIn, SqliteVectors, type Near } from './sqlite-vectors.ts';
import { SqliteWholeReach } from './sqlite-whole-reach.ts';
import { SqliteWords, wordOf } from './sqlite-words.ts';

const SELECT_PARTITIONS = `
  SELECT id, entry_count AS documents, lexeme_count AS lexemes, key GLOB '[[]"episodic"*' AS isEpisodic, is_coded AS isCoded
  FROM partitions WHERE key IN (SELECT value FROM json_each(?))`;
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
  readonly isCoded: 0 | 1;
}

/** No space has this id. */
const NO_SPACE = 0;

export class SqliteRecall {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #vectors: SqliteVectors | undefined;
  readonly #words: SqliteWords;
  readonly #nearest: SqliteNearest;
  readonly #describing: SqliteDescribing;
  readonly #wholeReach: SqliteWholeReach;
  readonly #memory: RecallMemory | undefined;

  /** Without `memory` everything is read for each search: within a transaction, which sees what nobody else does. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes, memory?: RecallMemory) {
    this.#connection = connection;
    this.#clock = clock;
    this.#vectors = codes && memory && new SqliteVectors(connection, clock, codes, memory.standstill);
    this.#words = new SqliteWords(connection);
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
      this.#describing.some(endings, place, (moment) => {
        const compared = near || !moment ? undefined : meaning && this.#nearest.inMemory(place, meaning, moment);
        const nearby = (by: Meaning): readonly Near[] =>
          compared ? nearestOf(compared, limit) : this.#nearest.near(place, by, limit, moment, near);
        return [
          ...(this.#knownWithAny(place, terms, limit, moment, meaning ? compared : []) ??
            this.#withAny(place, terms, meaning, limit)),
          ...(meaning && !isWhole ? nearby(meaning) : []),
        ];
      });
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
    const moment = this.#memory?.standstill.moment();
    const found = this.#partitions(partitions);
    const documents = sumOf(found, (each) => each.documents);
    const length = sumOf(found, (each) => each.lexemes);
    const episodes = sumOf(found, (each) => each.isEpisodic * each.documents);
    const documentFrequencies = this.#words.counts(found.map(sizedOf), lexemes, moment);
    return { documents, averageLength: documents === 0 ? 0 : length / documents, episodes, documentFrequencies };
  }

  /** Those that hold anything. */
  #partitions(partitions: readonly Partition[]): readonly PartitionRow[] {
    const keys = JSON.stringify(partitions.map(partitionKey));
    const read = (): PartitionRow[] => this.#connection.all(SELECT_PARTITIONS, keys);
    return this.#memory ? this.#memory.standstill.once(keys, read) : read();
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
    return { partitions: this.#partitions(partitions).map(sizedOf), condition: conditionOf(conditions) };
  }

  #meaningOf({ space, vector: { buffer, byteOffset, byteLength } }: Embedding): Meaning {
    return { spaceId: this.#spaceId(space), vector: Buffer.from(buffer, byteOffset, byteLength) };
  }

  /** All that have any of the words, where that is known and they are not too many. `compared` are all that have a vector. */
  #knownWithAny(
    { partitions, condition }: Place,
    terms: readonly Term[],
    limit: number,
    moment: Moment | undefined,
    compared: readonly Near[] | undefined,
  ): Near[] | undefined {
    const isKnown = moment && compared && condition.sql === '';
    const seqs = isKnown && this.#words.entriesWith(partitions, terms, limit, moment);
    if (!seqs) return undefined;
    const expired = expiredIn(this.#connection, this.#clock);
    const found = new Map<number, Near>();
    for (const seq of seqs) if (!expired.has(seq)) found.set(seq, { seq, similarity: null });
    for (const near of compared) if (found.has(near.seq)) found.set(near.seq, near);
    return [...found.values()];
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

function sizedOf({ id, documents: count, isCoded }: PartitionRow): SizedPartition {
  return { id, count, isCoded };
}

/** By their numbers. */
function uniqueOf(all: readonly Compared[]): Compared[] {
  return [...new Map(all.map((each) => [each.described.seq, each])).values()];
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
