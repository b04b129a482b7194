/** The nearest in large partitions: first by codes, which lie in memory, and then by the vectors of the most promising entries. */

import type { Clock } from '../../ports/clock.ts';
import { CODE_BITS, QUERY_STEPS } from './sqlite-code-kernel.ts';
import { tablesOf } from './sqlite-code-query.ts';
import { CodeRanking } from './sqlite-code-ranking.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { Rescoring, type Rescored } from './sqlite-rescoring.ts';
import type { Condition } from './sqlite-selection.ts';
import type { Moment } from './sqlite-standstill.ts';
import type { SqliteVectors } from './sqlite-vectors.ts';

/** Usually empty, and then free: cheaper than looking at each entry for its expiry. */
export const NOT_EXPIRED = 'NOT IN (SELECT seq FROM entries WHERE expires_at <= ?)';

/** Bits fill whole words; see `sql/sqlite/0004_vector_codes.sql`. */
const WORD_BITS = 64;

/** What a dimension adds to the distance of a code, at most. */
const FARTHEST_PER_DIMENSION = CODE_BITS * QUERY_STEPS;

/** Vectors that are compared for each result, at first, and the least number of them. */
const CANDIDATES_PER_RESULT = 3;
const MIN_CANDIDATES = 128;

/** Beyond this share of a partition, as with a filter that hardly anything meets, going through all of it is no slower. */
const MAX_SHARE = 1 / 10;

/** What is looked for, in a space. */
export interface Meaning {
  readonly spaceId: number;
  readonly vector: Buffer;
}

export interface Search extends Meaning {
  readonly condition: Condition;
  readonly limit: number;
}

/** A partition and what memory holds of it. */
interface Coded {
  readonly id: number;
  readonly codes: CodedPartition;
  /** The place of its first entry among those of all partitions. */
  readonly start: number;
  readonly vectors: CodedPartition | undefined;
}

export class SqliteCodedSearch {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #codes: SqliteCodes | undefined;
  readonly #vectors: SqliteVectors | undefined;

  /** Without `vectors` those of the most promising are read from the file each time. */
  constructor(connection: SqliteConnection, clock: Clock, codes?: SqliteCodes, vectors?: SqliteVectors) {
    this.#connection = connection;
    this.#clock = clock;
    this.#codes = codes;
    this.#vectors = vectors;
  }

  /** How many entries a partition must have to be searched by codes. */
  least({ vector }: Meaning): number {
    const dimensions = vector.length / Float32Array.BYTES_PER_ELEMENT;
    const isCoded = dimensions % WORD_BITS === 0 && this.#codes?.kernel((CODE_BITS * dimensions) / 8);
    return this.#codes && isCoded ? Math.max(1, this.#codes.minEntries) : Number.POSITIVE_INFINITY;
  }

  /**
   * Undefined when too little of what codes bring up meets the condition. `moment` is one before anything was read, for
   * whoever reads what was committed.
   */
  nearest(partitionIds: readonly number[], search: Search, moment: Moment | undefined): Rescored[] | undefined {
    const codes = this.#codes;
    if (codes === undefined || partitionIds.length === 0) return [];
    const vector = valuesOf(search);
    const codeBytes = (CODE_BITS * vector.length) / 8;
    let count = 0;
    const coded = partitionIds.map((id): Coded => {
      const partition = codes.partition(search.spaceId, id, codeBytes, 'codes', moment);
      const isHeld = moment !== undefined && search.condition.sql === '';
      const vectors = isHeld
        ? this.#vectors?.candidates(search.spaceId, id, vector, partition.length, moment)
        : undefined;
      count += partition.length;
      return { id, codes: partition, start: count - partition.length, vectors };
    });
    const rescoring = new Rescoring(search.limit);
    if (!this.#addUncommitted(codes, coded, rescoring, search)) return undefined;
    // Codes of different partitions are of the same kind: their entries take part in one ranking.
    const distances = new Uint32Array(count);
    const tables = tablesOf(vector);
    for (const { codes: partition, start } of coded) {
      const own = distances.subarray(start, start + partition.length);
      codes.kernel(codeBytes)?.score(partition.codes, tables, own);
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
    const expired = this.#vectors?.expired();
    for (; !rescoring.isSettled(ranking); size = Math.ceil(rescoring.looked / 2)) {
      if (rescoring.likelyLooks > most) return false;
      const indexes = ranking.take(size);
      rescoring.looked += indexes.length;
      for (const each of coded) {
        const end = each.start + each.codes.length;
        const places = indexes.filter((index) => index >= each.start && index < end).map((index) => index - each.start);
        const add = (seq: number, distance: number | null, place: number): void =>
          rescoring.add(seq, distance, ranking.distanceOf(each.start + place));
        const others = this.#addHeld(places, each, search, expired, add);
        for (const { seq, distance } of this.#compare([...others.keys()], each.id, search))
          add(seq, distance, Number(others.get(seq)));
      }
    }
    return true;
  }

  /** Those whose vectors lie in memory. Answers with the others, and their places. */
  #addHeld(
    places: readonly number[],
    { codes, vectors }: Coded,
    search: Search,
    expired: ReadonlySet<number> | undefined,
    add: (seq: number, distance: number, place: number) => void,
  ): Map<number, number> {
    const distances = vectors && this.#vectors?.distancesAt(places, codes, vectors, valuesOf(search));
    const others = new Map<number, number>();
    places.forEach((place, index) => {
      const [seq, distance] = [codes.seqAt(place), distances?.[index] ?? Number.NaN];
      if (Number.isNaN(distance)) others.set(seq, place);
      else if (!expired?.has(seq)) add(seq, distance, place);
    });
    return others;
  }

  /** The same by SQL. */
  #compare(seqs: readonly number[], partitionId: number, { spaceId, vector, condition }: Search): Rescored[] {
    if (seqs.length === 0) return [];
    // CROSS JOIN fixes the order: conditions are looked at before a vector is read.
    const entries = condition.sql === '' ? '' : 'CROSS JOIN entries e ON e.seq = c.value';
    const sql = `
      SELECT v.seq, vec_distance_cosine(v.vector, ?) AS distance FROM json_each(?) c ${entries}
      CROSS JOIN embeddings v ON v.space_id = ? AND v.partition_id = ? AND v.seq = c.value
      WHERE v.seq ${NOT_EXPIRED}${condition.sql}`;
    const list = JSON.stringify(seqs);
    return this.#connection.all(sql, vector, list, spaceId, partitionId, this.#clock.now(), ...condition.values);
  }
}

export function valuesOf({ vector: { buffer, byteOffset, length } }: Meaning): Float32Array {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + length));
}
