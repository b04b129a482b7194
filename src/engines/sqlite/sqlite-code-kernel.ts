/**
 * The inner loop of the coarse pass, in WebAssembly, because it has an instruction that counts bits: how far each of many
 * codes is from a query. Measured, JavaScript takes four times as long for a quarter of the work.
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
  type KernelFunction,
  type Run,
} from './sqlite-kernel-module.ts';

/** Bits per value of the query, each one a plane of bits: 4 find what 6 find, 1 needs four times as many candidates. */
export const PLANES = 4;

/** Bits per value of a code. */
export const CODE_BITS = 2;

/** Codes that are scored at a time: they and their distances stay in the processor's cache. */
const BLOCK = 512;

/** The opcodes in use besides: https://webassembly.github.io/spec/core/binary/instructions.html */
const MEMORY = { load64: 0x29, store32: 0x36 } as const;
const MATH = { popcnt64: 0x7b, add64: 0x7c, xor64: 0x85, shl64: 0x86, wrap: 0xa7 } as const;

/**
 * `score(from, to, query, out)`: for each code between two addresses, the sum over the planes of the query of 2^plane ×
 * bits that differ, written as 32 bits each. Both the planes and each part of a code have `words` words of 64 bits. The
 * loop over the words of a code is unrolled.
 */
function scoreOf(words: number): KernelFunction {
  const [from, to, query, out, word] = [0, 1, 2, 3, 4];
  const sum = (plane: number): number => 5 + plane;
  const asked = (plane: number, index: number): number => 5 + PLANES + plane * words + index;
  const load = (offset: number): number[] => [MEMORY.load64, 3, ...leb(offset)];
  const planes = Array.from({ length: PLANES }, (_, plane) => plane);
  const indexes = Array.from({ length: CODE_BITS * words }, (_, index) => index);
  const body: number[] = [];
  for (const plane of planes) {
    for (const index of indexes.slice(0, words))
      body.push(...get(query), ...load((plane * words + index) * 8), ...set(asked(plane, index)));
  }
  body.push(OP.loop, TYPE.nothing);
  for (const index of indexes) {
    body.push(...get(from), ...load(index * 8), ...set(word));
    for (const plane of planes) {
      body.push(...get(word), ...get(asked(plane, index % words)), MATH.xor64, MATH.popcnt64);
      if (index > 0) body.push(...get(sum(plane)), MATH.add64);
      body.push(...set(sum(plane)));
    }
  }
  body.push(...get(out), ...get(sum(0)));
  for (const plane of planes.slice(1))
    body.push(...get(sum(plane)), CONST.i64, ...leb(plane, true), MATH.shl64, MATH.add64);
  body.push(MATH.wrap, MEMORY.store32, 2, 0);
  body.push(...advance(out, 4), ...set(out));
  body.push(
    ...advance(from, CODE_BITS * words * 8),
    ...tee(from),
    ...get(to),
    COMPARE.ltU32,
    OP.brIf,
    0,
    OP.end,
    OP.end,
  );
  return { locals: [{ count: 1 + PLANES + PLANES * words, type: TYPE.i64 }], body };
}

/** For codes of one length. Its memory holds one block at a time: the codes themselves lie where they can be freed. */
export class CodeKernel {
  readonly #bytes: number;
  readonly #query: Uint8Array;
  readonly #block: Uint8Array;
  readonly #distances: Uint32Array;
  readonly #score: Run;

  /** `bytes` is the length of a code, a multiple of 16. */
  constructor(bytes: number) {
    this.#bytes = bytes;
    const [query, block, distances] = [(PLANES * bytes) / CODE_BITS, BLOCK * bytes, BLOCK * 4];
    const { memory, run } = kernelOf({ score: scoreOf(bytes / CODE_BITS / 8) }, query + block + distances);
    this.#query = new Uint8Array(memory, 0, query);
    this.#block = new Uint8Array(memory, query, block);
    this.#distances = new Uint32Array(memory, query + block, BLOCK);
    this.#score = run.score;
  }

  /** Writes down the distances of as many codes as `distances` has room for. Nothing of them is left behind here. */
  score(codes: Uint8Array, planes: Uint8Array, distances: Uint32Array): void {
    const count = distances.length;
    this.#query.set(planes);
    for (let start = 0; start < count; start += BLOCK) {
      const size = Math.min(BLOCK, count - start);
      this.#block.set(codes.subarray(start * this.#bytes, (start + size) * this.#bytes));
      this.#score(
        this.#block.byteOffset,
        this.#block.byteOffset + size * this.#bytes,
        this.#query.byteOffset,
        this.#distances.byteOffset,
      );
      distances.set(this.#distances.subarray(0, size), start);
    }
    this.#block.fill(0);
    this.#query.fill(0);
  }
}
