/** How alike two things are: of most pairs it shows soon that they are not. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { dot, dotFrom } from '../src/core/recall/similarity.ts';

const LEAST = 0.95;

/** Of unit length, and somewhere between the same and another. */
const pair = fc
  .record({
    values: fc.array(
      fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
      {
        minLength: 1,
        maxLength: 400,
      },
    ),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ values, share }): [Float32Array, Float32Array] => {
    const other = values.map(([a, b]) => (1 - share) * a + share * b);
    return [unit(values.map(([a]) => a)), unit(other)];
  });

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

it('is the product of two vectors where that is enough, and else nothing or less than enough', () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const [whole, found] = [dot(a, b), dotFrom(LEAST)(a, b)];
      if (whole >= LEAST) expect(found).toBe(whole);
      else expect([0, whole]).toContain(found);
    }),
    { numRuns: 2000 },
  );
});
