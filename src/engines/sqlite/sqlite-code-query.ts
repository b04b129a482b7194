/** A query, as codes are compared with it: each of its values in 16 steps, put together in tables of four. */

import { QUERY_STEPS, TABLE_BYTES } from './sqlite-code-kernel.ts';

/** In standard deviations: what lies further out is taken for this. Finer steps matter more than rare large values. */
const REACH = 2.6;

/** Bits of a code that are looked up together. */
const BITS = Math.log2(TABLE_BYTES);

/**
 * How far away four bits of a code are, however they are set: for each that is set, how many steps a value lies below the highest, and
 * for each other, above the lowest. So codes are compared with values of the query and not with another code: measured
 * on MiniLM, 60 candidates then hold as many of the ten nearest as 240, and vectors need not be centred.
 */
export function tablesOf(vector: Float32Array): Uint8Array {
  const deviation = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0) / vector.length);
  const scale = QUERY_STEPS / (REACH * deviation || 1);
  const tables = new Uint8Array((vector.length / BITS) * TABLE_BYTES);
  vector.forEach((value, index) => {
    const level = Math.min(QUERY_STEPS, Math.max(0, Math.round((value * scale + QUERY_STEPS) / 2)));
    const start = Math.floor(index / BITS) * TABLE_BYTES;
    for (let bits = 0; bits < TABLE_BYTES; bits += 1) {
      // The first dimension is the lowest bit, as sqlite-vec has it.
      const isSet = ((bits >> (index % BITS)) & 1) === 1;
      tables[start + bits] = Number(tables[start + bits]) + (isSet ? QUERY_STEPS - level : level);
    }
  });
  return tables;
}
