/** A query, as codes are compared with it: each of its values in 16 steps, spread over planes of bits. */

import { PLANES } from './sqlite-code-kernel.ts';

const STEPS = 2 ** PLANES - 1;

/** In standard deviations: what lies further out is taken for this. Finer steps matter more than rare large values. */
const REACH = 2.6;

/**
 * With a value as the sum of ±2^plane and a code as the sum of ±1, their product is the number of bits that agree less
 * those that differ, plane by plane. So codes are compared with values of the query and not with another code: measured
 * on MiniLM, 60 candidates then hold as many of the ten nearest as 240, and vectors need not be centred.
 */
export function planesOf(vector: Float32Array): Uint8Array {
  const bytes = vector.length / 8;
  const planes = new Uint8Array(PLANES * bytes);
  const deviation = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0) / vector.length);
  const scale = STEPS / (REACH * deviation || 1);
  vector.forEach((value, index) => {
    const level = Math.min(STEPS, Math.max(0, Math.round((value * scale + STEPS) / 2)));
    for (let plane = 0; plane < PLANES; plane += 1) {
      const place = plane * bytes + (index >> 3);
      // The first dimension is the lowest bit, as sqlite-vec has it.
      planes[place] = Number(planes[place]) | (((level >> plane) & 1) << (index & 7));
    }
  });
  return planes;
}
