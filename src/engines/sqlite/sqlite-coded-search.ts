/** The nearest in large partitions: first by codes, which lie in memory, and then by the vectors of the most promising entries. */

import type { Clock } from '../../ports/clock.ts';
import { CODE_BITS, PLANES } from './sqlite-code-kernel.ts';
import { planesOf } from './sqlite-code-query.ts';
import { CodeRanking } from './sqlite-code-ranking.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { Rescoring, type Rescored } from './sqlite-rescoring.ts';
import type { Condition } from './sqlite-selection.ts';
import type { SqliteVectors } from './sqlite-vectors.ts';

/** Usually empty, and then free: cheaper than looking at each entry for its expiry. */
export const NOT_EXPIRED = 'NOT IN (SELECT seq FROM entries WHERE expires_at <= ?)';

/** Bits fill whole words; see `sql/sqlite/0004_vector_codes.sql`. */
const WORD_BITS = 64;

/** What a dimension adds to the distance of a code, at most. */
const FARTHEST_PER_DIMENSION = CODE_BITS * (2 ** PLANES - 1);

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
    return this.#codes && dimensions % WORD_BITS === 0 ? Math.max(1, this.#codes.minEntries) : Number.POSITIVE_INFINITY;
  }

  /** Undefined when too little of what codes bring up meets the condition. */
  nearest(partitionIds: readonly number[], search: Search): Rescored[] | undefined {
    const codes = this.#codes;
    if (codes === undefined || partitionIds.length === 0) return [];
    const vector = valuesOf(search);
    const codeBytes = (CODE_BITS * vector.length) / 8;
    const coded = partitionIds.map((id): Coded => {
      const partition = codes.partition(search.spaceId, id, codeBytes);
      const isPlain = search.condition.sql === '';
      const held = isPlain ? this.#vectors?.candidates(search.spaceId, id, vector, partition.length) : undefined;
      return { id, codes: partition, vectors: held };
    });
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
    for (; !rescoring.isSettled(ranking); size = Math.ceil(rescoring.looked / 2)) {
      if (rescoring.likelyLooks > most) return false;
      const indexes = ranking.take(size);
      rescoring.looked += indexes.length;
      let start = 0;
      for (const each of coded) {
        const [from, end] = [start, start + each.codes.length];
        const own = indexes.filter((index) => index >= from && index < end);
        const places = new Map(own.map((index) => [each.codes.seqAt(index - from), index]));
        for (const { seq, distance } of this.#distances([...places.keys()], each, search)) {
          rescoring.add(seq, distance, ranking.distanceOf(Number(places.get(seq))));
        }
        start = end;
      }
    }
    return true;
  }

  /** Those of the entries that are there and meet the condition: from memory, and what is not held there from the file. */
  #distances(seqs: readonly number[], { id, vectors }: Coded, search: Search): Rescored[] {
    if (this.#vectors === undefined || vectors === undefined) return this.#compare(seqs, id, search);
    const held = this.#vectors.distancesIn(vectors, seqs, valuesOf(search));
    const [expired, known] = [this.#vectors.expired(), new Set(held.map(({ seq }) => seq))];
    const others = this.#compare(
      seqs.filter((seq) => !known.has(seq)),
      id,
      search,
    );
    return [...held.filter(({ seq }) => !expired.has(seq)), ...others];
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
