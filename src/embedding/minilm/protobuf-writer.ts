/** Writes protocol buffers: what an ONNX file needs, without copying the weights for every message around them. */

/** A message or a part of one, in pieces that are joined once at the very end. */
export interface Wire {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;

/** Non-negative and below 2^53, which is all that lengths, dimensions and codes need. */
function varint(value: number): number[] {
  const digits: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) digits.push((rest % 0x80) | 0x80);
  digits.push(rest);
  return digits;
}

/** Negative numbers take ten bytes, as two's complement of 64 bits. */
function signedVarint(value: number): number[] {
  if (value >= 0) return varint(value);
  const bits = BigInt.asUintN(64, BigInt(value));
  return Array.from({ length: 10 }, (_, index) => Number((bits >> BigInt(7 * index)) & 0x7fn) | (index < 9 ? 0x80 : 0));
}

function wire(...pieces: readonly Uint8Array[]): Wire {
  return { pieces, length: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

function prefix(field: number, type: number, ...rest: readonly number[]): Uint8Array {
  return Uint8Array.from([...varint(field * 8 + type), ...rest]);
}

export function int(field: number, value: number): Wire {
  return wire(prefix(field, VARINT, ...signedVarint(value)));
}

export function float(field: number, value: number): Wire {
  return wire(prefix(field, FIXED32, ...new Uint8Array(Float32Array.of(value).buffer)));
}

export function bytes(field: number, value: Uint8Array): Wire {
  return wire(prefix(field, BYTES, ...varint(value.length)), value);
}

export function text(field: number, value: string): Wire {
  return bytes(field, new TextEncoder().encode(value));
}

/** Fields one after the other, in the order given. */
export function fields(...parts: readonly Wire[]): Wire {
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    length: parts.reduce((sum, { length }) => sum + length, 0),
  };
}

/** A message as a field of another. */
export function message(field: number, ...parts: readonly Wire[]): Wire {
  const content = fields(...parts);
  return fields(wire(prefix(field, BYTES, ...varint(content.length))), content);
}

export function joined({ pieces, length }: Wire): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
