/**
 * Comparing many vectors with one, in WebAssembly and eight at a time. Each one's products are added up one after another in 32
 * bits, as sqlite-vec does it: so the similarities are those of SQL, to the last digit, at a tenth of the time.
 */

import {
  advance,
  COMPARE,
  get,
  kernelOf,
  leb,
  OP,
  set,
  tee,
  TYPE,
  VECTOR,
  vector,
  type KernelFunction,
  type Run,
} from './sqlite-kernel-module.ts';

/** Numbers of 32 bits that an instruction takes at once. */
const LANES = 4;
const LANE_BYTES = 4;

/** Groups of as many vectors as there are lanes: what is added to one does not wait for what is added to the other. */
const GROUPS = 2;

/** Vectors that are compared at a time: they stay in the processor's cache. A multiple of those in all groups. */
const BLOCK = 64;

const { load: LOAD, store: STORE } = VECTOR;
const ZERO = [...VECTOR.constant, ...Array.from({ length: LANES * LANE_BYTES }, () => 0)];
const [ADD, MULTIPLY] = [vector(0xe4), vector(0xe6)];

/** Takes these lanes of two values, those of the second one counted on. */
const shuffle = (...lanes: readonly number[]): number[] => [
  ...vector(13),
  ...lanes.flatMap((lane) => Array.from({ length: LANE_BYTES }, (_, byte) => lane * LANE_BYTES + byte)),
];

/**
 * For each vector between two addresses its product with the query, or with itself, as 32 bits. Four values of four vectors are
 * multiplied and then turned around, so that each vector has a lane in which its products are added up in their order.
 */
function productsOf(dimensions: number, isWithItself: boolean): KernelFunction {
  const bytes = dimensions * LANE_BYTES;
  const [from, to, query, out, at, asked, end] = [0, 1, 2, 3, 4, 5, 6];
  const sum = (group: number): number => 7 + group;
  const product = (lane: number): number => 7 + GROUPS + lane;
  const half = (index: number): number => product(LANES) + index;
  const value = half(LANES);
  const [groups, lanes] = [Array.from({ length: GROUPS }, (_, group) => group), [0, 1, 2, 3]];
  const body: number[] = [OP.loop, TYPE.nothing];
  for (const group of groups) body.push(...ZERO, ...set(sum(group)));
  body.push(...get(from), ...set(at), ...get(query), ...set(asked), ...advance(from, bytes), ...set(end));
  body.push(OP.loop, TYPE.nothing);
  if (!isWithItself) body.push(...get(asked), ...LOAD, 2, 0, ...set(value));
  for (const group of groups) {
    for (const lane of lanes) {
      body.push(...get(at), ...LOAD, 2, ...leb((group * LANES + lane) * bytes));
      body.push(...(isWithItself ? tee(value) : []), ...get(value), ...MULTIPLY, ...set(product(lane)));
    }
    const paired = (first: number, pair: readonly number[]): number[] => [
      ...get(product(first)),
      ...get(product(first + 1)),
      ...shuffle(...pair),
    ];
    const [low, high] = [
      [0, 4, 1, 5],
      [2, 6, 3, 7],
    ];
    body.push(...paired(0, low), ...set(half(0)), ...paired(2, low), ...set(half(1)));
    body.push(...paired(0, high), ...set(half(2)), ...paired(2, high), ...set(half(3)));
    body.push(...get(sum(group)));
    for (const first of [0, 2]) {
      const both = [...get(half(first)), ...get(half(first + 1))];
      body.push(...both, ...shuffle(0, 1, 4, 5), ...ADD, ...both, ...shuffle(2, 3, 6, 7), ...ADD);
    }
    body.push(...set(sum(group)));
  }
  body.push(...advance(asked, LANES * LANE_BYTES), ...set(asked), ...advance(at, LANES * LANE_BYTES), ...tee(at));
  body.push(...get(end), COMPARE.ltU32, OP.brIf, 0, OP.end);
  for (const group of groups)
    body.push(...get(out), ...get(sum(group)), ...STORE, 2, ...leb(group * LANES * LANE_BYTES));
  body.push(...advance(out, GROUPS * LANES * LANE_BYTES), ...set(out));
  body.push(...advance(from, GROUPS * LANES * bytes), ...tee(from), ...get(to), COMPARE.ltU32, OP.brIf, 0);
  body.push(OP.end, OP.end);
  return {
    locals: [
      { count: 3, type: TYPE.i32 },
      { count: GROUPS + 2 * LANES + 1, type: TYPE.v128 },
    ],
    body,
  };
}

/** Of each vector its product with the query and with itself. */
interface Both {
  readonly products: Float32Array;
  readonly squares: Float32Array;
}

/** For vectors of one length. Its memory holds one block at a time: the vectors themselves lie where they can be freed. */
export class VectorKernel {
  readonly #dimensions: number;
  readonly #query: Float32Array;
  readonly #block: Float32Array;
  readonly #products: Float32Array;
  readonly #run: Readonly<Record<'products' | 'squares', Run>>;

  /** `dimensions` must be a multiple of four. Throws `WebAssembly.CompileError` on a processor that cannot do this. */
  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    const bytes = dimensions * LANE_BYTES;
    const functions = { products: productsOf(dimensions, false), squares: productsOf(dimensions, true) };
    const { memory, run } = kernelOf(functions, (1 + BLOCK) * bytes + BLOCK * LANE_BYTES);
    this.#query = new Float32Array(memory, 0, dimensions);
    this.#block = new Float32Array(memory, bytes, BLOCK * dimensions);
    this.#products = new Float32Array(memory, (1 + BLOCK) * bytes, BLOCK);
    this.#run = run;
  }

  /** The product of each of `count` vectors with the query. Nothing of them is left behind here. */
  products(vectors: Float32Array, count: number, query: Float32Array): Float32Array {
    this.#query.set(query);
    const products = this.#each(this.#run.products, vectors, count);
    this.#query.fill(0);
    return products;
  }

  /** The product of each with itself. */
  squares(vectors: Float32Array, count: number): Float32Array {
    return this.#each(this.#run.squares, vectors, count);
  }

  /** Both of those that stand at these places. */
  bothOf(vectors: Float32Array, places: readonly number[], query: Float32Array): Both {
    const [products, squares] = [new Float32Array(places.length), new Float32Array(places.length)];
    this.#query.set(query);
    for (let start = 0; start < places.length; start += BLOCK) {
      const block = places.slice(start, start + BLOCK);
      block.forEach((place, index) => {
        const from = place * this.#dimensions;
        this.#block.set(vectors.subarray(from, from + this.#dimensions), index * this.#dimensions);
      });
      products.set(this.#runOver(this.#run.products, block.length), start);
      squares.set(this.#runOver(this.#run.squares, block.length), start);
    }
    this.#query.fill(0);
    this.#block.fill(0);
    return { products, squares };
  }

  #each(run: Run, vectors: Float32Array, count: number): Float32Array {
    const results = new Float32Array(count);
    for (let start = 0; start < count; start += BLOCK) {
      const size = Math.min(BLOCK, count - start);
      this.#block.set(vectors.subarray(start * this.#dimensions, (start + size) * this.#dimensions));
      results.set(this.#runOver(run, size), start);
    }
    this.#block.fill(0);
    return results;
  }

  /** Of the first ones of the block; they stand where those of the next run will. */
  #runOver(run: Run, size: number): Float32Array {
    const from = this.#block.byteOffset;
    run(from, from + size * this.#dimensions * LANE_BYTES, this.#query.byteOffset, this.#products.byteOffset);
    return this.#products.subarray(0, size);
  }
}
