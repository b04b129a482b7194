/**
 * The nearest in meaning. Every vector of small partitions is compared, in memory where that is allowed; large ones are searched by
 * codes.
 */

import type { Clock } from '../../ports/clock.ts';
import { NOT_EXPIRED, SqliteCodedSearch, valuesOf, type Meaning, type Search } from './sqlite-coded-search.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import type { Similarity } from './sqlite-entry-row.ts';
import type { Rescored } from './sqlite-rescoring.ts';
import type { Condition } from './sqlite-selection.ts';
import type { Moment } from './sqlite-standstill.ts';
import type { SqliteVectors } from './sqlite-vectors.ts';

const SELECT_SIMILARITIES = `
  SELECT v.seq, 1 - vec_distance_cosine(v.vector, ?) AS similarity FROM embeddings v
  WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED}`;

/** Of partitions with fewer entries vectors are held in memory, where that is allowed. */
const MOST_HELD = 2048;

const DISTANCE_COLUMNS = 'e.seq, n.distance';

/** A partition, and how many entries it holds. */
export interface SizedPartition {
  readonly id: number;
  readonly count: number;
}

/** A reach, as statements name it. */
export interface Place {
  readonly partitions: readonly SizedPartition[];
  readonly condition: Condition;
}

/** The number of an entry, and how similar it is. */
export interface Near extends Similarity {
  readonly seq: number;
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

  /** `columns` are of `entries e`; each row also tells its `similarity`. The nearest first; only `among` these, if given. */
  find<R>(columns: string, place: Place, meaning: Meaning, limit: number, among?: readonly string[]): R[] {
    const { partitions, condition } = place;
    const search = { ...meaning, condition, limit };
    if (among) return this.#compareGiven<R>(columns, partitions, among, search);
    const least = this.#coded.least(meaning);
    const [small, large] = [
      partitions.filter(({ count }) => count < least),
      partitions.filter(({ count }) => count >= least),
    ];
    const vectors = this.#vectorsOf({ partitions: small, condition });
    if (large.length === 0 && vectors === undefined) return this.#compareAll<R>(columns, small, search);
    const moment = vectors?.moment();
    // All that is read is of one moment: the codes, and the vectors that they stand for.
    return this.#connection.db.transaction(() => {
      const inMemory = moment && vectors?.distances(meaning.spaceId, idsOf(small), valuesOf(meaning), moment);
      const nearby = inMemory
        ? nearestOf(inMemory, limit)
        : this.#compareAll<Rescored>(DISTANCE_COLUMNS, small, search);
      const byCodes = this.#coded.nearest(idsOf(large), search);
      const others = byCodes ?? this.#compareAll<Rescored>(DISTANCE_COLUMNS, large, search);
      return this.#rowsOf<R>(columns, [...nearby, ...others], limit);
    })();
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
    const distances = this.#vectorsOf(place)?.distances(meaning.spaceId, ids, valuesOf(meaning), moment);
    return distances?.map(({ seq, distance }) => ({ seq, similarity: 1 - distance }));
  }

  /** Undefined where SQL is to compare the vectors: because it looks at conditions too, or there are too many to be held. */
  #vectorsOf({ partitions, condition }: Place): SqliteVectors | undefined {
    return condition.sql === '' && partitions.every(({ count }) => count < MOST_HELD) ? this.#vectors : undefined;
  }

  /** The entries of the nearest of these. */
  #rowsOf<R>(columns: string, found: readonly Rescored[], limit: number): R[] {
    const sql = `
      SELECT ${columns}, 1 - n.distance AS similarity
      FROM (SELECT value ->> 0 AS seq, value ->> 1 AS distance FROM json_each(?)) n
      CROSS JOIN entries e ON e.seq = n.seq ORDER BY n.distance`;
    const nearest = found.toSorted((a, b) => a.distance - b.distance).slice(0, limit);
    return this.#connection.all<R>(sql, JSON.stringify(nearest.map(({ seq, distance }) => [seq, distance])));
  }

  /** Compares those of the entries with these ids that lie in the partitions. */
  #compareGiven<R>(
    columns: string,
    partitions: readonly SizedPartition[],
    ids: readonly string[],
    { spaceId, vector, condition, limit }: Search,
  ): R[] {
    const sql = `
      WITH nearest AS (
        SELECT e.seq, vec_distance_cosine(v.vector, ?) AS distance FROM json_each(?) c
        CROSS JOIN entries e ON e.id = c.value
        CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = e.partition_id AND v.seq = e.seq
        WHERE e.partition_id IN (SELECT value FROM json_each(?)) AND e.seq ${NOT_EXPIRED}${condition.sql}
        ORDER BY distance LIMIT ?)
      SELECT ${columns}, 1 - n.distance AS similarity FROM nearest n CROSS JOIN entries e ON e.seq = n.seq
      ORDER BY n.distance`;
    const [given, within] = [JSON.stringify([...new Set(ids)]), JSON.stringify(partitions.map(({ id }) => id))];
    return this.#connection.all(sql, vector, given, spaceId, within, this.#clock.now(), ...condition.values, limit);
  }

  /** Compares every vector of the partitions, and none of any other; only the nearest are joined with their entries. */
  #compareAll<R>(columns: string, partitions: readonly SizedPartition[], search: Search): R[] {
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
      WITH nearest AS (
        SELECT v.seq, vec_distance_cosine(v.vector, ?) AS distance FROM embeddings v
        WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED} ${among}
        ORDER BY distance LIMIT ?)
      SELECT ${columns}, 1 - n.distance AS similarity FROM nearest n JOIN entries e ON e.seq = n.seq
      ORDER BY n.distance`;
    const filtered: Value[] = isFiltered ? [ids, ...condition.values] : [];
    return this.#connection.all(sql, vector, spaceId, ids, this.#clock.now(), ...filtered, limit);
  }
}

function idsOf(partitions: readonly SizedPartition[]): number[] {
  return partitions.map(({ id }) => id);
}

/** In no particular order; those that are equally far at the end may be more than were asked for. */
function nearestOf(all: readonly Rescored[], limit: number): readonly Rescored[] {
  if (all.length <= limit) return all;
  const farthest = Number(Float64Array.from(all, ({ distance }) => distance).toSorted()[limit - 1]);
  return all.filter(({ distance }) => distance <= farthest);
}
