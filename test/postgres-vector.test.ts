/** Vectors as pgvector reads them. */

import { describe, expect, it } from 'vitest';
import { textOf, vectorOf } from '../src/engines/postgres/postgres-vector.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';

/** The numbers of four bytes around one. */
function around(value: number): number[] {
  const [start = 0] = new Uint32Array(Float32Array.of(value).buffer);
  return Array.from({ length: 200 }, (_, step) => new Float32Array(Uint32Array.of(start + step - 100).buffer)[0] ?? 0);
}

describe('a vector', () => {
  it('comes back from its text as it was, number by number', () => {
    const random = new SeededRandom(1);
    const edges = [2 ** -9, 2 ** -8, 0.05, 0.1, 0.2, 1, 100].flatMap(around);
    const small = [0, -0, 2 ** -149, 2 ** -126, 1e-20, 1e-5];
    const some = Array.from({ length: 2000 }, () => (random.next() - 0.5) * 10 ** -random.below(8));
    const vector = Float32Array.from([...edges, ...edges.map((value) => -value), ...small, ...some]);
    expect([...vectorOf(textOf(vector))].map(Math.fround)).toEqual([...vector].map((value) => value + 0));
  });

  it('is a list of numbers in brackets', () => {
    expect(textOf(Float32Array.of(0.5, -0.125, 0, 1))).toBe('[0.500000000,-1250000000e-10,0.00000000,1.00000000]');
  });
});
