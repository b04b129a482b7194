/**
 * The inner loop of the coarse pass, in WebAssembly, because it has an instruction that counts bits: how far each of many
 * codes is from a query. Measured, JavaScript takes four times as long for a quarter of the work.
 */

/** Bits per value of the query, each one a plane of bits: 4 find what 6 find, 1 needs four times as many candidates. */
export const PLANES = 4;

/** Bits per value of a code. */
export const CODE_BITS = 2;

/** Codes that are scored at a time: they and their distances stay in the processor's cache. */
const BLOCK = 512;
const PAGE = 65_536;

/** The opcodes and types in use: https://webassembly.github.io/spec/core/binary/instructions.html */
const OP = { loop: 0x03, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22, load64: 0x29, store32: 0x36 } as const;
const CONST = { i32: 0x41, i64: 0x42 } as const;
const MATH = { ltU32: 0x49, add32: 0x6a, popcnt64: 0x7b, add64: 0x7c, xor64: 0x85, shl64: 0x86, wrap: 0xa7 } as const;
const TYPE = { i32: 0x7f, i64: 0x7e, nothing: 0x40, function: 0x60 } as const;
const SECTION = { types: 1, imports: 2, functions: 3, exports: 7, code: 10 } as const;
const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** A number as LEB128; the sign bit of the last group must not be set where it would be taken for one. */
function leb(value: number, isSigned = false): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    const group = rest & 0x7f;
    if (rest < (isSigned ? 0x40 : 0x80)) return [...bytes, group];
    bytes.push(group | 0x80);
  }
}

const list = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];
const section = (id: number, body: readonly number[]): number[] => [id, ...leb(body.length), ...body];
const name = (text: string): number[] => [...leb(text.length), ...Buffer.from(text)];

/**
 * `score(from, to, query, out)`: for each code between two addresses, the sum over the planes of the query of 2^plane ×
 * bits that differ, written as 32 bits each. Both the planes and each part of a code have `words` words of 64 bits. The
 * loop over the words of a code is unrolled.
 */
function scoreBody(words: number): number[] {
  const [from, to, query, out, word] = [0, 1, 2, 3, 4];
  const sum = (plane: number): number => 5 + plane;
  const asked = (plane: number, index: number): number => 5 + PLANES + plane * words + index;
  const get = (local: number): number[] => [OP.get, ...leb(local)];
  const set = (local: number): number[] => [OP.set, ...leb(local)];
  const load = (offset: number): number[] => [OP.load64, 3, ...leb(offset)];
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
  body.push(MATH.wrap, OP.store32, 2, 0);
  body.push(...get(out), CONST.i32, ...leb(4, true), MATH.add32, ...set(out));
  body.push(...get(from), CONST.i32, ...leb(CODE_BITS * words * 8, true), MATH.add32, OP.tee, ...leb(from), ...get(to));
  body.push(MATH.ltU32, OP.brIf, 0, OP.end, OP.end);
  return [...list([[...leb(1 + PLANES + PLANES * words), TYPE.i64]]), ...body];
}

function moduleOf(words: number, pages: number): WebAssembly.Module {
  const body = scoreBody(words);
  const parameters = Array.from({ length: 4 }, () => [TYPE.i32]);
  return new WebAssembly.Module(
    Uint8Array.from([
      ...MAGIC,
      ...section(SECTION.types, list([[TYPE.function, ...list(parameters), ...leb(0)]])),
      ...section(SECTION.imports, list([[...name('lamina'), ...name('memory'), 2, 0, ...leb(pages)]])),
      ...section(SECTION.functions, list([leb(0)])),
      ...section(SECTION.exports, list([[...name('score'), 0, ...leb(0)]])),
      ...section(SECTION.code, list([[...leb(body.length), ...body]])),
    ]),
  );
}

type Score = (from: number, to: number, query: number, out: number) => void;

/** For codes of one length. Its memory holds one block at a time: the codes themselves lie where they can be freed. */
export class CodeKernel {
  readonly #bytes: number;
  readonly #query: Uint8Array;
  readonly #block: Uint8Array;
  readonly #distances: Uint32Array;
  readonly #score: Score;

  /** `bytes` is the length of a code, a multiple of 16. */
  constructor(bytes: number) {
    this.#bytes = bytes;
    const [query, block, distances] = [(PLANES * bytes) / CODE_BITS, BLOCK * bytes, BLOCK * 4];
    const pages = Math.ceil((query + block + distances) / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#query = new Uint8Array(memory.buffer, 0, query);
    this.#block = new Uint8Array(memory.buffer, query, block);
    this.#distances = new Uint32Array(memory.buffer, query + block, BLOCK);
    const instance = new WebAssembly.Instance(moduleOf(bytes / CODE_BITS / 8, pages), { lamina: { memory } });
    this.#score = instance.exports['score'] as Score;
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
