/** Modules of WebAssembly, put together from the instructions of their functions when they are first needed. */

/** The opcodes and types in use: https://webassembly.github.io/spec/core/binary/instructions.html */
export const OP = { loop: 0x03, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22 } as const;
export const CONST = { i32: 0x41, i64: 0x42 } as const;
export const COMPARE = { ltU32: 0x49 } as const;
export const TYPE = { i32: 0x7f, i64: 0x7e, v128: 0x7b, nothing: 0x40, function: 0x60 } as const;

const ADD32 = 0x6a;

const SECTION = { types: 1, imports: 2, functions: 3, exports: 7, code: 10 } as const;
const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Of memory. */
const PAGE = 65_536;

/** What its locals are, besides the parameters, and its instructions with the end of the last. */
export interface KernelFunction {
  readonly locals: readonly { readonly count: number; readonly type: number }[];
  readonly body: readonly number[];
}

/** Each function of a kernel goes from one address to another, looks at what is asked for, and writes what comes out. */
export type Run = (from: number, to: number, query: number, out: number) => void;

interface Kernel<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly run: Readonly<Record<Name, Run>>;
}

/** An instruction on vectors: https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions */
export const vector = (opcode: number): number[] => [0xfd, ...leb(opcode)];
export const VECTOR: Readonly<Record<'load' | 'store' | 'constant', readonly number[]>> = {
  load: vector(0),
  store: vector(11),
  constant: vector(12),
};

/** A number as LEB128; the sign bit of the last group must not be set where it would be taken for one. */
export function leb(value: number, isSigned = false): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    const group = rest & 0x7f;
    if (rest < (isSigned ? 0x40 : 0x80)) return [...bytes, group];
    bytes.push(group | 0x80);
  }
}

export const get = (local: number): number[] => [OP.get, ...leb(local)];
export const set = (local: number): number[] => [OP.set, ...leb(local)];
export const tee = (local: number): number[] => [OP.tee, ...leb(local)];

/** Adds to an address. */
export const advance = (local: number, bytes: number): number[] => [
  ...get(local),
  CONST.i32,
  ...leb(bytes, true),
  ADD32,
];

const list = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];
const section = (id: number, body: readonly number[]): number[] => [id, ...leb(body.length), ...body];
const name = (text: string): number[] => [...leb(text.length), ...Buffer.from(text)];

function codeOf({ locals, body }: KernelFunction): number[] {
  const bytes = [...list(locals.map(({ count, type }) => [...leb(count), type])), ...body];
  return [...leb(bytes.length), ...bytes];
}

/** Throws `WebAssembly.CompileError` where the processor lacks what the functions use. */
export function kernelOf<Name extends string>(functions: Record<Name, KernelFunction>, bytes: number): Kernel<Name> {
  const pages = Math.ceil(bytes / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const parameters = Array.from({ length: 4 }, () => [TYPE.i32]);
  const names = Object.keys(functions);
  const module = new WebAssembly.Module(
    Uint8Array.from([
      ...MAGIC,
      ...section(SECTION.types, list([[TYPE.function, ...list(parameters), ...leb(0)]])),
      ...section(SECTION.imports, list([[...name('lamina'), ...name('memory'), 2, 0, ...leb(pages)]])),
      ...section(SECTION.functions, list(names.map(() => leb(0)))),
      ...section(SECTION.exports, list(names.map((each, index) => [...name(each), 0, ...leb(index)]))),
      ...section(SECTION.code, list(Object.values<KernelFunction>(functions).map(codeOf))),
    ]),
  );
  const { exports } = new WebAssembly.Instance(module, { lamina: { memory } });
  return { memory: memory.buffer, run: exports as Record<Name, Run> };
}
