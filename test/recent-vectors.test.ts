/** Vectors of late: each is what was kept under its key, or nothing; no more than may be; nothing of what was forgotten. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentVectors } from '../src/embedding/recent-vectors.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('set', 'get'), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear'), key }) },
);

describe('recent vectors', () => {
  it('are those that were kept last, and as many as may be', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (steps, most) => {
        const vectors = new RecentVectors(most);
        const model = new Map<string, number>();
        steps.forEach(({ kind, key: name }, at) => {
          if (kind === 'set') {
            vectors.set(name, Float32Array.of(at, -at));
            model.set(name, at);
          } else if (kind === 'delete') {
            vectors.delete(name);
            model.delete(name);
          } else if (kind === 'clear') {
            vectors.clear();
            model.clear();
          } else {
            const found = vectors.get(name);
            const kept = model.get(name);
            if (found !== undefined) expect([...found]).toEqual(kept === undefined ? [] : [kept, -kept]);
            // Spoilt by whoever got it.
            found?.fill(9);
          }
          if (kind === 'set') expect(vectors.get(name)).toEqual(Float32Array.of(at, -at));
        });
        const held = [...model.keys()].filter((name) => vectors.get(name) !== undefined);
        expect(held.length).toBeLessThanOrEqual(most);
        // Nothing was given up before there were too many.
        if (model.size <= most && !steps.some(({ kind }) => kind === 'delete' || kind === 'clear')) {
          const distinct = new Set(steps.filter(({ kind }) => kind === 'set').map(({ key: name }) => name));
          if (distinct.size <= most) expect(held.length).toBe(distinct.size);
        }
      }),
    );
  });

  it('stay where they are used, while others come and go', () => {
    const vectors = new RecentVectors(4);
    vectors.set('used', Float32Array.of(1));
    for (let index = 0; index < 100; index += 1) {
      vectors.set(`once ${index}`, Float32Array.of(index));
      expect(vectors.get('used')).toEqual(Float32Array.of(1));
    }
  });

  it('of another length are not kept', () => {
    const vectors = new RecentVectors(4);
    vectors.set('a', Float32Array.of(1, 2));
    vectors.set('b', Float32Array.of(1));
    expect([vectors.get('a'), vectors.get('b')]).toEqual([Float32Array.of(1, 2), undefined]);
  });

  it('of more than one block lie each in a place of its own', () => {
    const vectors = new RecentVectors(1000);
    for (let index = 0; index < 1000; index += 1) vectors.set(`key ${index}`, Float32Array.of(index, 1));
    for (let index = 0; index < 1000; index += 1) expect(vectors.get(`key ${index}`)?.[0]).toBe(index);
  });
});
