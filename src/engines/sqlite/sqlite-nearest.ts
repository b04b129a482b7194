/**
 * The nearest in meaning. Small partitions are compared vector by vector; of large ones first the codes, which lie in
 * memory, and then the vectors of the most promising entries.
 */

import type { Clock } from '../../ports/clock.ts';
import { CODE_BITS, PLANES } from './sqlite-code-kernel.ts';
import { planesOf } from './sqlite-code-query.ts';
import { CodeRanking } from './sqlite-code-ranking.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import type { Similarity } from './sqlite-entry-row.ts';
import { Rescoring, type Rescored } from './sqlite-rescoring.ts';
import type { Condition } from './sqlite-selection.ts';

// Usually empty, and then free: cheaper than looking at each entry for its expiry.
export const NOT_EXPIRED = 'NOT IN (SELECT seq FROM entries WHERE expires_at <= ?)';

const SELECT_SIMILARITIES = `
  SELECT v.seq, 1 - vec_distance_cosine(v.vector, ?) AS similarity FROM embeddings v
  WHERE v.space_id = ? AND v.partition_id IN (SELECT value FROM json_each(?)) AND v.seq ${NOT_EXPIRED}`;

/** Bits fill whole words; see `sql/sqlite/0004_vector_codes.sql`. */
const WORD_BITS = 64;

/** What a dimension adds to the distance of a code, at most. */
const FARTHEST_PER_DIMENSION = CODE_BITS * (2 ** PLANES - 1);

/** Vectors that are compared for each result, at first, and the least number of them. */
const CANDIDATES_PER_RESULT = 3;
const MIN_CANDIDATES = 128;

/** Beyond this share of a partition, as with a filter that hardly anything meets, going through all of it is no slower. */
const MAX_SHARE = 1 / 10;

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

export interface Meaning {
  readonly spaceId: number;
  readonly vector: Buffer;
}

interface Search extends Meaning {
  readonly condition: Condition;
  readonly limit: number;
}

/** A partition and what memory holds of it. */
interface Coded {
  readonly id: number;
  readonly codes: CodedPartition;
}

export class SqliteNearest {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #codes: SqliteCodes | undefined;

  /** Without codes every vector is compared. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes) {
    this.#connection = connection;
    this.#clock = clock;
    this.#codes = codes;
  }

  /** `columns` are of `entries e`; each row also tells its `similarity`. The nearest first; only `among` these, if given. */
  find<R>(columns: string, place: Place, meaning: Meaning, limit: number, among?: readonly string[]): R[] {
    const { partitions, condition } = place;
    const search = { ...meaning, condition, limit };
    if (among) return this.#compareGiven<R>(columns, partitions, among, search);
    const least = this.#leastCoded(meaning);
    const small = partitions.filter(({ count }) => count < least).map(({ id }) => id);
    if (small.length === partitions.length) return this.#compareAll<R>(columns, small, search);
    const large = partitions.filter(({ count }) => count >= least).map(({ id }) => id);
    // All that is read is of one moment: the codes, and the vectors that they stand for.
    return this.#connection.db.transaction(() => this.#findByCodes<R>(columns, small, large, search))();
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
  similarities(
    { partitions }: Omit<Place, 'condition'>,
    { spaceId, vector }: Meaning,
  ): (Pick<Rescored, 'seq'> & Similarity)[] {
    const ids = JSON.stringify(partitions.map(({ id }) => id));
    return this.#connection.all(SELECT_SIMILARITIES, vector, spaceId, ids, this.#clock.now());
  }

  /** How many entries a partition must have to be searched by codes. */
  #leastCoded({ vector }: Meaning): number {
    const dimensions = vector.length / Float32Array.BYTES_PER_ELEMENT;
    return this.#codes && dimensions % WORD_BITS === 0 ? Math.max(1, this.#codes.minEntries) : Number.POSITIVE_INFINITY;
  }

  #findByCodes<R>(columns: string, small: readonly number[], large: readonly number[], search: Search): R[] {
    const byCodes = this.#byCodes(large, search);
    const rest = byCodes ? small : [...small, ...large];
    const others = rest.length > 0 ? this.#compareAll<Rescored>('e.seq, n.distance', rest, search) : [];
    const found = [...(byCodes ?? []), ...others].toSorted((a, b) => a.distance - b.distance);
    const sql = `
      SELECT ${columns}, 1 - n.distance AS similarity
      FROM (SELECT value ->> 0 AS seq, value ->> 1 AS distance FROM json_each(?)) n
      CROSS JOIN entries e ON e.seq = n.seq ORDER BY n.distance`;
    const nearest = found.slice(0, search.limit).map(({ seq, distance }) => [seq, distance]);
    return this.#connection.all<R>(sql, JSON.stringify(nearest));
  }

  /** Undefined when too little of what codes bring up meets the condition. */
  #byCodes(partitionIds: readonly number[], search: Search): Rescored[] | undefined {
    const codes = this.#codes;
    if (codes === undefined) return undefined;
    const { buffer, byteOffset, length } = search.vector;
    const vector = new Float32Array(buffer.slice(byteOffset, byteOffset + length));
    const codeBytes = (CODE_BITS * vector.length) / 8;
    const coded = partitionIds.map((id) => ({ id, codes: codes.partition(search.spaceId, id, codeBytes) }));
    const rescoring = new Rescoring(search.limit);
    if (!this.#addUncommitted(codes, coded, rescoring, search)) return undefined;
    // Codes of different partitions are of the same kind: their entries take part in one ranking.
    const distances = new Uint32Array(coded.reduce((sum, each) => sum + each.codes.length, 0));
    const planes = planesOf(vector);
    let start = 0;
    for (const each of coded) {
      const end = start + each.codes.length;
      codes.kernel(codeBytes).score(each.codes.codes, planes, distances.subarray(start, end));
      start = end;
    }
    const ranking = new CodeRanking(distances, FARTHEST_PER_DIMENSION * vector.length);
    return this.#rescore(rescoring, ranking, coded, search) ? rescoring.nearest : undefined;
  }

  /** What the transaction has written that this search is part of, if any. False: too much. */
  #addUncommitted(codes: SqliteCodes, coded: readonly Coded[], rescoring: Rescoring, search: Search): boolean {
    if (!codes.isBehind(this.#connection)) return true;
    for (const { id, codes: partition } of coded) {
      const ahead = codes.aheadIn(this.#connection, search.spaceId, id, partition);
      if (ahead === undefined) return false;
      for (const { seq, distance } of this.#compare(ahead, id, search)) rescoring.add(seq, distance);
    }
    return true;
  }

  /** Compares vectors, the most promising first, until no other is likely to be among the nearest. False: gave up. */
  #rescore(rescoring: Rescoring, ranking: CodeRanking, coded: readonly Coded[], search: Search): boolean {
    let size = Math.max(MIN_CANDIDATES, search.limit * CANDIDATES_PER_RESULT);
    const most = Math.max(size, ranking.length * MAX_SHARE);
    for (; !rescoring.isSettled(ranking); size = rescoring.looked) {
      if (rescoring.likelyLooks > most) return false;
      const indexes = ranking.take(size);
      rescoring.looked += indexes.length;
      let start = 0;
      for (const { id, codes } of coded) {
        const [from, end] = [start, start + codes.length];
        const own = indexes.filter((index) => index >= from && index < end);
        const seqs = own.map((index) => codes.seqAt(index - from));
        for (const { seq, distance, place } of seqs.length > 0 ? this.#compare(seqs, id, search) : []) {
          rescoring.add(seq, distance, ranking.distanceOf(Number(own[place])));
        }
        start = end;
      }
    }
    return true;
  }

  /** Those of the entries that are there and meet the condition; `place` tells where in the list each one stands. */
  #compare(
    seqs: readonly number[],
    partitionId: number,
    { spaceId, vector, condition }: Search,
  ): (Rescored & { readonly place: number })[] {
    // CROSS JOIN fixes the order: conditions are looked at before a vector is read.
    const entries = condition.sql === '' ? '' : 'CROSS JOIN entries e ON e.seq = c.value';
    const sql = `
      SELECT c.key AS place, v.seq, vec_distance_cosine(v.vector, ?) AS distance FROM json_each(?) c ${entries}
      CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = ? AND v.seq = c.value
      WHERE v.seq ${NOT_EXPIRED}${condition.sql}`;
    const list = JSON.stringify(seqs);
    return this.#connection.all(sql, vector, list, spaceId, partitionId, this.#clock.now(), ...condition.values);
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
  #compareAll<R>(columns: string, partitionIds: readonly number[], search: Search): R[] {
    const { spaceId, vector, condition, limit } = search;
    const ids = JSON.stringify(partitionIds);
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
