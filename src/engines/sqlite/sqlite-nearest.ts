/**
 * The nearest in meaning. Every vector of small partitions is compared, in memory where that is allowed; large ones are searched by
 * codes.
 */

import type { Clock } from '../../ports/clock.ts';
import type { Nearest } from '../../ports/entry-store.ts';
import { NOT_EXPIRED, SqliteCodedSearch, valuesOf, type Meaning, type Search } from './sqlite-coded-search.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import type { Rescored } from './sqlite-rescoring.ts';
import type { Condition } from './sqlite-selection.ts';
import type { Moment } from './sqlite-standstill.ts';
import type { Near, SqliteVectors } from './sqlite-vectors.ts';

const SELECT_SIMILARITIES = `
  SELECT v.seq, 1 - vec_distance_cosine(v.vector, ?) AS similarity FROM embeddings v
  WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED}`;

const SELECT_IDS = `
  SELECT e.id, n.value ->> 1 AS similarity FROM json_each(?) n CROSS JOIN entries e ON e.seq = n.value ->> 0`;

/** Of partitions with fewer entries vectors are held in memory, where that is allowed. */
const MOST_HELD = 2048;

/** A partition, and how many entries it holds. */
export interface SizedPartition {
  readonly id: number;
  readonly count: number;
  /** Whether its vectors have codes. */
  readonly isCoded: 0 | 1;
}

/** A reach, as statements name it. */
export interface Place {
  readonly partitions: readonly SizedPartition[];
  readonly condition: Condition;
}

export class SqliteNearest {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #coded: SqliteCodedSearch;
  readonly #vectors: SqliteVectors | undefined;

  /** Without codes every vector is compared; without `vectors` by SQL. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes, vectors?: SqliteVectors) {
    this.#connection = connection;
    this.#clock = clock;
    this.#coded = new SqliteCodedSearch(connection, clock, codes, vectors);
    this.#vectors = vectors;
  }

  /** The nearest first, by their ids. Call it in a transaction. */
  find(place: Place, meaning: Meaning, limit: number): Nearest[] {
    const near = this.near(place, meaning, limit, this.#vectors?.moment());
    const list = JSON.stringify(near.map(({ seq, similarity }) => [seq, similarity]));
    return this.#connection.all(SELECT_IDS, list);
  }

  /**
   * The nearest first; only `among` the entries with these ids, if given. Call it in a transaction, so that all that is read is of
   * one moment: the codes, and the vectors that they stand for. `moment` is one before that.
   */
  near(
    place: Place,
    meaning: Meaning,
    limit: number,
    moment: Moment | undefined,
    among?: readonly string[],
  ): readonly Near[] {
    const { partitions, condition } = place;
    const search = { ...meaning, condition, limit };
    if (among) return this.#compareGiven(partitions, among, search);
    const least = this.#coded.least(meaning);
    const isLarge = ({ count, isCoded }: SizedPartition): boolean => isCoded === 1 && count >= least;
    const [small, large] = [partitions.filter((each) => !isLarge(each)), partitions.filter(isLarge)];
    const vectors = this.#vectorsOf({ partitions: small, condition });
    const inMemory = moment && vectors?.similarities(meaning.spaceId, idsOf(small), valuesOf(meaning), moment);
    const byCodes = this.#coded.nearest(idsOf(large), search, moment)?.map(nearOf);
    const found = [...(inMemory ?? this.#compareAll(small, search)), ...(byCodes ?? this.#compareAll(large, search))];
    return nearestOf(found, limit);
  }

  /** All that has a vector, in no particular order. */
  all<R>(columns: string, { partitions, condition }: Place, { spaceId, vector }: Meaning): R[] {
    // CROSS JOIN fixes the order: vectors lie side by side, and each one's entry is looked up.
    const sql = `
      SELECT ${columns}, 1 - vec_distance_cosine(v.vector, ?) AS similarity
      FROM embeddings v CROSS JOIN entries e ON e.seq = v.seq
      WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED}${condition.sql}`;
    const ids = JSON.stringify(partitions.map(({ id }) => id));
    return this.#connection.all(sql, vector, spaceId, ids, this.#clock.now(), ...condition.values);
  }

  /** The same, where nothing has to be known of the entries but their numbers. */
  similarities(place: Place, meaning: Meaning, moment: Moment): Near[] {
    const values = [meaning.vector, meaning.spaceId, JSON.stringify(idsOf(place.partitions)), this.#clock.now()];
    return this.inMemory(place, meaning, moment) ?? this.#connection.all<Near>(SELECT_SIMILARITIES, ...values);
  }

  /** The same without SQL; undefined where that cannot be. `moment` is one before anything was read. */
  inMemory(place: Place, meaning: Meaning, moment: Moment): Near[] | undefined {
    const ids = idsOf(place.partitions);
    return this.#vectorsOf(place)?.similarities(meaning.spaceId, ids, valuesOf(meaning), moment);
  }

  /** Undefined where SQL is to compare the vectors: because it looks at conditions too, or there are too many to be held. */
  #vectorsOf({ partitions, condition }: Place): SqliteVectors | undefined {
    return condition.sql === '' && partitions.every(({ count }) => count < MOST_HELD) ? this.#vectors : undefined;
  }

  /** Compares those of the entries with these ids that lie in the partitions. */
  #compareGiven(
    partitions: readonly SizedPartition[],
    ids: readonly string[],
    { spaceId, vector, condition, limit }: Search,
  ): Near[] {
    const sql = `
      SELECT e.seq, 1 - vec_distance_cosine(v.vector, ?) AS similarity FROM json_each(?) c
      CROSS JOIN entries e ON e.id = c.value
      CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = e.partition_id AND v.seq = e.seq
      WHERE e.partition_id IN (SELECT value FROM json_each(?)) AND e.seq ${NOT_EXPIRED}${condition.sql}
      ORDER BY similarity DESC LIMIT ?`;
    const [given, within] = [JSON.stringify([...new Set(ids)]), JSON.stringify(partitions.map(({ id }) => id))];
    return this.#connection.all(sql, vector, given, spaceId, within, this.#clock.now(), ...condition.values, limit);
  }

  /** Compares every vector of the partitions, and none of any other. */
  #compareAll(partitions: readonly SizedPartition[], search: Search): Near[] {
    if (partitions.length === 0) return [];
    const { spaceId, vector, condition, limit } = search;
    const ids = JSON.stringify(idsOf(partitions));
    const isFiltered = condition.sql !== '';
    const among = isFiltered
      ? `AND v.seq IN (
           SELECT e.seq FROM entries e
           WHERE e.partition_id IN (SELECT value FROM json_each(?))${condition.sql})`
      : '';
    const sql = `
      SELECT v.seq, 1 - vec_distance_cosine(v.vector, ?) AS similarity FROM embeddings v
      WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED} ${among}
      ORDER BY similarity DESC LIMIT ?`;
    const filtered: Value[] = isFiltered ? [ids, ...condition.values] : [];
    return this.#connection.all(sql, vector, spaceId, ids, this.#clock.now(), ...filtered, limit);
  }
}

/** Nothing is similar to what has no direction. */
function nearOf({ seq, distance }: Rescored): Near {
  return { seq, similarity: distance === null ? null : 1 - distance };
}

function idsOf(partitions: readonly SizedPartition[]): number[] {
  return partitions.map(({ id }) => id);
}

/** So many of these, the nearest first. Of hundreds only those are put in order. */
export function nearestOf(all: readonly Near[], limit: number): Near[] {
  const least = all.length <= limit ? -Infinity : leastOf(all, limit);
  return all
    .filter(({ similarity }) => Number(similarity) >= least)
    .toSorted((a, b) => Number(b.similarity) - Number(a.similarity))
    .slice(0, limit);
}

/** The similarity that so many have, or more. */
function leastOf(all: readonly Near[], limit: number): number {
  const similarities = new Float64Array(all.length);
  for (const [index, { similarity }] of all.entries()) similarities[index] = Number(similarity);
  return Number(similarities.toSorted()[all.length - limit]);
}
