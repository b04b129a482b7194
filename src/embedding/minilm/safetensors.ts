/** Reads the weights of a model from a safetensors file: a JSON header, then the raw numbers. */

import { LaminaError } from '../../domain/error.ts';

export interface HalfTensor {
  readonly shape: readonly number[];
  /** Half-precision numbers by their bits. */
  readonly bits: Uint16Array;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Every half-precision number as a float: 65,536 of them, so a table is the fastest way to widen millions. */
function halfTable(): Float32Array {
  const table = new Float32Array(0x1_0000);
  for (let bits = 0; bits < table.length; bits += 1) {
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    const size =
      exponent === 0
        ? fraction * 2 ** -24
        : exponent === 0x1f
          ? fraction === 0
            ? Number.POSITIVE_INFINITY
            : Number.NaN
          : (1 + fraction / 1024) * 2 ** (exponent - 15);
    table[bits] = bits & 0x8000 ? -size : size;
  }
  return table;
}

export class Safetensors {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #entries: Readonly<Record<string, Entry>>;
  readonly #halves = halfTable();

  /** Throws `EMBEDDING_FAILED` for bytes that are no safetensors file. */
  constructor(bytes: Uint8Array) {
    try {
      const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
      this.#bytes = bytes;
      this.#start = 8 + length;
      this.#entries = JSON.parse(new TextDecoder().decode(bytes.subarray(8, this.#start))) as Record<string, Entry>;
    } catch (cause) {
      throw unreadable('they are not in the safetensors format', cause);
    }
  }

  /** A tensor as it stands in the file. Throws `EMBEDDING_FAILED` where there is none of half precision. */
  half(name: string): HalfTensor {
    const entry = this.#entries[name];
    if (entry?.dtype !== 'F16') throw unreadable(`"${name}" is missing or not in half precision`);
    const [from, to] = entry.data_offsets;
    // A copy, because the numbers need not be aligned in the file.
    const copy = new Uint8Array(this.#bytes.subarray(this.#start + from, this.#start + to));
    return { shape: entry.shape, bits: new Uint16Array(copy.buffer) };
  }

  /** A tensor in single precision. */
  floats(name: string): Float32Array {
    const { bits } = this.half(name);
    const values = new Float32Array(bits.length);
    // Millions of them: a loop takes a tenth of the time that a function per number does.
    for (let at = 0; at < bits.length; at += 1) values[at] = this.#halves[bits[at] ?? 0] ?? 0;
    return values;
  }
}

function unreadable(problem: string, cause?: unknown): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', `The weights of the local embedding model cannot be read: ${problem}.`, {
    details: { permanent: true },
    cause,
  });
}
