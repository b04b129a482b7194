/**
 * The inner loop of the coarse pass, in WebAssembly, because it has an instruction that looks up 16 bytes in a table at once: how
 * far each of many codes is from a query. Measured, counting bits takes twice as long, and JavaScript many times as long.
 */

import {
  advance,
  COMPARE,
  CONST,
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

/** Bits per value of a code. */
export const CODE_BITS = 2;

/** Steps above the lowest, of each value of a query: 15 find what 63 find, 1 needs four times as many candidates. */
export const QUERY_STEPS = 15;

/** Codes lie in groups of so many: the first byte of each, then the second of each, and so on. */
export const CODE_LANES = 16;

/** A sum for each way in which four bits can be set. */
export const TABLE_BYTES = 16;

/** Codes that are scored at a time: they and their distances stay in the processor's cache. Whole groups. */
const BLOCK = 512;

/** What four sums of a table are at most, of the two parts of a code and of the two halves of a byte, fits in a byte. */
const HALF_BYTE = 0x0f;

/** So many of those fit in 16 bits. */
const MOST_IN_16_BITS = 256;

/** The opcodes in use besides: https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions */
const [AND, SHIFT16, ADD8, ADD16, ADD32] = [vector(0x4e), vector(0x8d), vector(0x6e), vector(0x8e), vector(0xae)];
const LOOK_UP = vector(0x100);
/** The lower and the upper half of the numbers, with twice as many bits. */
const [WIDEN8, WIDEN16] = [
  [vector(0x89), vector(0x8a)],
  [vector(0xa9), vector(0xaa)],
];

const filled = (byte: number): number[] => [...VECTOR.constant, ...Array.from({ length: CODE_LANES }, () => byte)];

/**
 * `score(from, to, query, out)`: for each code between two addresses, what the tables of the query say of each four bits of it,
 * added up and written as 32 bits. `bytes` is the length of a code, of which the two parts go by the same tables. The loop over
 * the bytes is unrolled.
 */
function scoreOf(bytes: number): KernelFunction {
  const [from, to, query, out, mask, low, high, code, sum] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const sum16 = (half: number): number => 9 + half;
  const sum32 = (quarter: number): number => 11 + quarter;
  const part = bytes / CODE_BITS;
  const load = (address: number, offset: number): number[] => [...get(address), ...VECTOR.load, 4, ...leb(offset)];
  const lookedUp = (table: number, bits: readonly number[]): number[] => [
    ...get(table),
    ...bits,
    ...get(mask),
    ...AND,
    ...LOOK_UP,
  ];
  const sumOf = (byte: number): number[] => [
    ...load(from, byte * CODE_LANES),
    ...set(code),
    ...lookedUp(low, get(code)),
    ...lookedUp(high, [...get(code), CONST.i32, 4, ...SHIFT16]),
    ...ADD8,
  ];
  const widened = (narrow: number, widen: readonly number[], wide: number, add: readonly number[]): number[] => [
    ...get(narrow),
    ...widen,
    ...get(wide),
    ...add,
    ...set(wide),
  ];
  const body: number[] = [...filled(HALF_BYTE), ...set(mask), OP.loop, TYPE.nothing];
  for (const quarter of [0, 1, 2, 3]) body.push(...filled(0), ...set(sum32(quarter)));
  for (let byte = 0; byte < part; byte += 1) {
    if (byte % MOST_IN_16_BITS === 0) for (const half of [0, 1]) body.push(...filled(0), ...set(sum16(half)));
    body.push(...load(query, 2 * byte * TABLE_BYTES), ...set(low), ...load(query, (2 * byte + 1) * TABLE_BYTES));
    body.push(...set(high), ...sumOf(byte), ...sumOf(part + byte), ...ADD8, ...set(sum));
    WIDEN8.forEach((widen, half) => body.push(...widened(sum, widen, sum16(half), ADD16)));
    const isFull = (byte + 1) % MOST_IN_16_BITS === 0 || byte + 1 === part;
    if (!isFull) continue;
    for (const half of [0, 1])
      WIDEN16.forEach((widen, index) => body.push(...widened(sum16(half), widen, sum32(2 * half + index), ADD32)));
  }
  for (const quarter of [0, 1, 2, 3])
    body.push(...get(out), ...get(sum32(quarter)), ...VECTOR.store, 4, ...leb(quarter * CODE_LANES));
  body.push(...advance(out, CODE_LANES * Uint32Array.BYTES_PER_ELEMENT), ...set(out));
  body.push(...advance(from, bytes * CODE_LANES), ...tee(from), ...get(to), COMPARE.ltU32, OP.brIf, 0, OP.end, OP.end);
  return { locals: [{ count: 11, type: TYPE.v128 }], body };
}

/** For codes of one length. Its memory holds one block at a time: the codes themselves lie where they can be freed. */
export class CodeKernel {
  readonly #bytes: number;
  readonly #tables: Uint8Array;
  readonly #block: Uint8Array;
  readonly #distances: Uint32Array;
  readonly #score: Run;

  /** `bytes` is the length of a code, a multiple of 16. Throws `WebAssembly.CompileError` on a processor that cannot do this. */
  constructor(bytes: number) {
    this.#bytes = bytes;
    const [tables, block] = [bytes * TABLE_BYTES, BLOCK * bytes];
    const { memory, run } = kernelOf({ score: scoreOf(bytes) }, tables + block + BLOCK * Uint32Array.BYTES_PER_ELEMENT);
    this.#tables = new Uint8Array(memory, 0, tables);
    this.#block = new Uint8Array(memory, tables, block);
    this.#distances = new Uint32Array(memory, tables + block, BLOCK);
    this.#score = run.score;
  }

  /**
   * Writes down the distances of as many codes as `distances` has room for, of groups of {@link CODE_LANES} that are there in whole.
   * Nothing of them is left behind here.
   */
  score(codes: Uint8Array, tables: Uint8Array, distances: Uint32Array): void {
    this.#tables.set(tables);
    const from = this.#block.byteOffset;
    for (let start = 0; start < distances.length; start += BLOCK) {
      const size = Math.min(BLOCK, distances.length - start);
      const bytes = Math.ceil(size / CODE_LANES) * CODE_LANES * this.#bytes;
      this.#block.set(codes.subarray(start * this.#bytes, start * this.#bytes + bytes));
      this.#score(from, from + bytes, this.#tables.byteOffset, this.#distances.byteOffset);
      distances.set(size === BLOCK ? this.#distances : this.#distances.subarray(0, size), start);
    }
    this.#block.fill(0);
    this.#tables.fill(0);
  }
}
