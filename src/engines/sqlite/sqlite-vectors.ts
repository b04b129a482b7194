/**
 * Comparing vectors that are held in memory: all of small partitions, and of large ones as many as there is room for. As exact as
 * SQL, at a tenth of the time.
 */

import type { Clock } from '../../ports/clock.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import type { SqliteCodes } from './sqlite-codes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { Similarity } from './sqlite-entry-row.ts';
import type { Moment, SqliteStandstill } from './sqlite-standstill.ts';
import type { VectorKernel } from './sqlite-vector-kernel.ts';

const SELECT_PLACES = `
  SELECT e.id, e.seq, e.partition_id AS partitionId FROM entries e WHERE e.id IN (SELECT value FROM json_each(?))`;
const SELECT_EXPIRED = 'SELECT seq FROM entries WHERE expires_at <= ?';

/** The number of an entry, and how similar it is. */
export interface Near extends Similarity {
  readonly seq: number;
}

interface PlaceRow {
  readonly id: string;
  readonly seq: number;
  readonly partitionId: number;
}

/** The place of what is not held. */
const NOT_HELD = -1;

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
  similarities(
    spaceId: number,
    partitionIds: readonly number[],
    query: Float32Array,
    moment: Moment,
  ): Near[] | undefined {
    const kernel = this.#codes.vectorKernel(query.length);
    if (kernel === undefined) return undefined;
    const expired = this.expired();
    const found: Near[] = [];
    for (const partition of this.#partitions(spaceId, partitionIds, query.byteLength, moment)) {
      const vectors = new Float32Array(partition.codes.buffer);
      const squares = this.#squaresOf(partition, vectors, kernel);
      const distances = distancesOf(kernel, vectors, squares, query);
      for (let index = 0; index < distances.length; index += 1) {
        const seq = partition.seqAt(index);
        if (partition.isRemoved(index) || expired.has(seq)) continue;
        const similarity = 1 - Number(distances[index]);
        if (Number.isNaN(similarity)) return undefined;
        found.push({ seq, similarity });
      }
    }
    return found;
  }

  /** What is held of a large partition with so many entries: see {@link SqliteCodes.candidates}. */
  candidates(
    spaceId: number,
    partitionId: number,
    query: Float32Array,
    count: number,
    moment: Moment,
  ): CodedPartition | undefined {
    const kernel = this.#codes.vectorKernel(query.length);
    return kernel && this.#codes.candidates(spaceId, partitionId, query.byteLength, count, moment);
  }

  /** Of those of the places whose vectors are held, also of what has expired; NaN of others. */
  distancesAt(
    places: readonly number[],
    codes: CodedPartition,
    held: CodedPartition,
    query: Float32Array,
  ): Float32Array {
    const distances = new Float32Array(places.length).fill(Number.NaN);
    const kernel = this.#codes.vectorKernel(query.length);
    if (kernel === undefined) return distances;
    // Mostly both have the same entries from the start, and stand at the same places.
    const heldAt = places.map((place) => held.indexOf(codes.seqAt(place), place) ?? NOT_HELD);
    const known = heldAt.filter((place) => place !== NOT_HELD);
    const { products, squares } = kernel.bothOf(new Float32Array(held.codes.buffer), known, query);
    const length = lengthOf(kernel, query);
    let next = 0;
    heldAt.forEach((place, index) => {
      if (place === NOT_HELD) return;
      distances[index] = distanceOf(Number(products[next]), Number(squares[next]), length);
      next += 1;
    });
    return distances;
  }

  /** Of those of the entries whose vectors lie in memory, as they stand. */
  ofEntries(spaceId: number, dimensions: number, ids: readonly string[]): Map<string, Float32Array> {
    const moment = this.moment();
    const found = new Map<string, Float32Array>();
    for (const { id, seq, partitionId } of this.#connection.all<PlaceRow>(SELECT_PLACES, JSON.stringify(ids))) {
      const held = this.#codes.heldAt(moment, spaceId, partitionId, 'vectors');
      const index = held?.indexOf(seq);
      if (held === undefined || index === undefined) continue;
      const all = new Float32Array(held.codes.buffer);
      found.set(id, all.slice(index * dimensions, (index + 1) * dimensions));
    }
    return found;
  }

  /** The numbers of entries that are to be left out. */
  expired(): ReadonlySet<number> {
    return expiredIn(this.#connection, this.#clock);
  }

  /** While nobody commits, the file is not asked. */
  #partitions(spaceId: number, ids: readonly number[], bytes: number, moment: Moment): CodedPartition[] {
    const ordered = ids.toSorted((a, b) => a - b);
    const held = ordered.flatMap((id) => this.#codes.heldAt(moment, spaceId, id, 'vectors') ?? []);
    if (held.length === ids.length) return held;
    const read = this.#connection.db.transaction(() =>
      ordered.map((id) => this.#codes.partition(spaceId, id, bytes, 'vectors', moment)),
    );
    return read();
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

/** The numbers of entries that have expired, mostly none. */
export function expiredIn(connection: SqliteConnection, clock: Clock): ReadonlySet<number> {
  return new Set(connection.all<{ seq: number }>(SELECT_EXPIRED, clock.now()).map(({ seq }) => seq));
}

/** As many as there are squares; NaN where a vector has no direction. Rounded where sqlite-vec rounds. */
function distancesOf(
  kernel: VectorKernel,
  vectors: Float32Array,
  squares: Float32Array,
  query: Float32Array,
): Float32Array {
  const length = lengthOf(kernel, query);
  const products = kernel.products(vectors, squares.length, query);
  return products.map((product, index) => distanceOf(product, Number(squares[index]), length));
}

function lengthOf(kernel: VectorKernel, query: Float32Array): number {
  return Math.sqrt(Number(kernel.squares(query, 1)[0]));
}

function distanceOf(product: number, square: number, length: number): number {
  return 1 - product / (Math.sqrt(square) * length);
}
