/**
 * Comparing vectors that are held in memory: all of small partitions, and of large ones as many as there is room for. As exact as
 * SQL, at a tenth of the time.
 */

import type { Clock } from '../../ports/clock.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { Rescored } from './sqlite-rescoring.ts';
import type { Moment, SqliteStandstill } from './sqlite-standstill.ts';
import type { VectorKernel } from './sqlite-vector-kernel.ts';

const SELECT_EXPIRED = 'SELECT seq FROM entries WHERE expires_at <= ?';

/** The square of the length of each vector, as long as the partition is what it was. */
interface Squares {
  readonly changes: number;
  readonly squares: Float32Array;
}

export class SqliteVectors {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #codes: SqliteCodes;
  readonly #standstill: SqliteStandstill;
  readonly #squares = new WeakMap<CodedPartition, Squares>();

  /** `connection` reads what was committed, as that of the codes does. */
  constructor(connection: SqliteConnection, clock: Clock, codes: SqliteCodes, standstill: SqliteStandstill) {
    this.#connection = connection;
    this.#clock = clock;
    this.#codes = codes;
    this.#standstill = standstill;
  }

  /** To be asked for before anything is read; see {@link SqliteStandstill.moment}. */
  moment(): Moment {
    return this.#standstill.moment();
  }

  /**
   * All that has a vector and has not expired, in the order of the file. Undefined where SQL has to do it: without the
   * instructions that it takes, or where a vector has no direction.
   */
  distances(
    spaceId: number,
    partitionIds: readonly number[],
    query: Float32Array,
    moment: Moment,
  ): Rescored[] | undefined {
    const kernel = this.#codes.vectorKernel(query.length);
    if (kernel === undefined) return undefined;
    const expired = this.expired();
    const found: Rescored[] = [];
    for (const partition of this.#partitions(spaceId, partitionIds, query.byteLength, moment)) {
      const vectors = new Float32Array(partition.codes.buffer);
      const squares = this.#squaresOf(partition, vectors, kernel);
      const distances = distancesOf(kernel, vectors, squares, query);
      for (let index = 0; index < distances.length; index += 1) {
        const [seq, distance] = [partition.seqAt(index), Number(distances[index])];
        if (partition.isRemoved(index) || expired.has(seq)) continue;
        if (Number.isNaN(distance)) return undefined;
        found.push({ seq, distance });
      }
    }
    return found;
  }

  /** What is held of a large partition with so many entries: see {@link SqliteCodes.candidates}. */
  candidates(spaceId: number, partitionId: number, query: Float32Array, count: number): CodedPartition | undefined {
    const kernel = this.#codes.vectorKernel(query.length);
    return kernel && this.#codes.candidates(spaceId, partitionId, query.byteLength, count);
  }

  /** Of these entries those whose vectors are held, in no particular order; also of what has expired. */
  distancesIn(held: CodedPartition, seqs: readonly number[], query: Float32Array): Rescored[] {
    const kernel = this.#codes.vectorKernel(query.length);
    const places = seqs.flatMap((seq) => held.indexOf(seq) ?? []);
    if (kernel === undefined || places.length === 0) return [];
    const all = new Float32Array(held.codes.buffer);
    const some = new Float32Array(places.length * query.length);
    places.forEach((place, index) => {
      some.set(all.subarray(place * query.length, (place + 1) * query.length), index * query.length);
    });
    const distances = distancesOf(kernel, some, kernel.squares(some, places.length), query);
    return places.flatMap((place, index) => {
      const distance = Number(distances[index]);
      return Number.isNaN(distance) ? [] : { seq: held.seqAt(place), distance };
    });
  }

  /** The numbers of entries that are to be left out. */
  expired(): ReadonlySet<number> {
    const rows = this.#connection.all<{ seq: number }>(SELECT_EXPIRED, this.#clock.now());
    return new Set(rows.map(({ seq }) => seq));
  }

  /** While nobody commits, the file is not asked. */
  #partitions(spaceId: number, ids: readonly number[], bytes: number, moment: Moment): CodedPartition[] {
    const name = (id: number): string => `vectors:${spaceId}:${id}`;
    const ordered = ids.toSorted((a, b) => a - b);
    const held = ordered.flatMap((id) =>
      moment.has(name(id)) ? (this.#codes.held(spaceId, id, 'vectors') ?? []) : [],
    );
    if (held.length === ids.length) return held;
    const read = this.#connection.db.transaction(() =>
      ordered.map((id) => this.#codes.partition(spaceId, id, bytes, 'vectors')),
    );
    const partitions = read();
    for (const id of ids) moment.set(name(id), true);
    return partitions;
  }

  #squaresOf(partition: CodedPartition, vectors: Float32Array, kernel: VectorKernel): Float32Array {
    const { changes } = partition;
    let known = this.#squares.get(partition);
    if (known?.changes !== changes) {
      known = { changes, squares: kernel.squares(vectors, partition.length) };
      this.#squares.set(partition, known);
    }
    return known.squares;
  }
}

/** As many as there are squares; none where a vector has no direction. Rounded where sqlite-vec rounds. */
function distancesOf(
  kernel: VectorKernel,
  vectors: Float32Array,
  squares: Float32Array,
  query: Float32Array,
): Float32Array {
  const length = Math.sqrt(Number(kernel.squares(query, 1)[0]));
  const products = kernel.products(vectors, squares.length, query);
  return products.map((product, index) => 1 - product / (Math.sqrt(Number(squares[index])) * length));
}
