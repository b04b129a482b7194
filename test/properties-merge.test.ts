/** Properties of merging: whatever the layers found, the answer is in order, without repetition and always the same. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge, mergeWindow, type Rank, type Ranked } from '../src/core/recall/merge.ts';
import { LAYERS, layerPrecedence } from '../src/domain/scope.ts';

interface Result extends Ranked {
  /** Results that say nearly the same have the same gist. */
  readonly gist: number;
}

const result = (most: number): fc.Arbitrary<Omit<Result, 'id'>> =>
  fc.record({
    layer: fc.constantFrom(...LAYERS),
    score: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 1)),
    contentHash: fc.integer({ min: 0, max: most }).map(String),
    gist: fc.integer({ min: 0, max: most }),
  });

const results = (most: number, maxLength = 30): fc.Arbitrary<Result[]> =>
  fc.array(result(most), { maxLength }).map((list) => list.map((each, index) => ({ ...each, id: `id${index}` })));

const rank = fc.constantFrom<Rank>('precedence', 'relevance');
const limit = fc.integer({ min: 1, max: 20 });
const similarity = (a: Result, b: Result): number => (a.gist === b.gist ? 1 : 0);

function isOrdered(list: readonly Result[], by: Rank): boolean {
  return list.every((next, index) => {
    const before = list[index - 1];
    if (before === undefined) return true;
    const layers = by === 'relevance' ? 0 : layerPrecedence(before.layer) - layerPrecedence(next.layer);
    return layers < 0 || (layers === 0 && before.score >= next.score);
  });
}

describe('merging', () => {
  it('gives at most the limit, of what was found, each once, in order', () => {
    fc.assert(
      fc.property(results(8), rank, limit, (found, by, most) => {
        const { top, total } = merge(found, by, most, similarity);
        expect(top.length).toBeLessThanOrEqual(most);
        expect(total).toBeGreaterThanOrEqual(top.length);
        expect(total).toBeLessThanOrEqual(found.length);
        for (const each of top) expect(found).toContain(each);
        expect(new Set(top.map(({ id }) => id)).size).toBe(top.length);
        expect(new Set(top.map(({ contentHash }) => contentHash)).size).toBe(top.length);
        expect(isOrdered(top, by)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('does not depend on the order in which things were found', () => {
    const shuffled = results(8).chain((found) =>
      fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length, maxLength: found.length })),
    );
    fc.assert(
      fc.property(shuffled, rank, limit, ([found, other], by, most) => {
        expect(merge(other, by, most, similarity)).toEqual(merge(found, by, most, similarity));
      }),
    );
  });

  it('has nothing left to do the second time', () => {
    fc.assert(
      fc.property(results(8), rank, limit, (found, by, most) => {
        const { top } = merge(found, by, most, similarity);
        expect(merge(top, by, most, similarity)).toEqual({ top, total: top.length, overridden: [] });
      }),
    );
  });

  it('keeps the most specific of what says the same', () => {
    fc.assert(
      fc.property(results(5), rank, (found, by) => {
        const { top, total } = merge(found, by, 100, similarity);
        expect(total).toBe(top.length);
        for (const dropped of found.filter((each) => !top.includes(each))) {
          const saidBy = top.filter(
            (kept) =>
              kept.contentHash === dropped.contentHash || (kept.layer !== dropped.layer && kept.gist === dropped.gist),
          );
          expect(saidBy.some((kept) => layerPrecedence(kept.layer) <= layerPrecedence(dropped.layer))).toBe(true);
        }
        for (const [index, one] of top.entries()) {
          for (const other of top.slice(index + 1)) {
            if (one.layer !== other.layer) expect(one.gist).not.toBe(other.gist);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('drops nothing where nothing says the same', () => {
    const distinct = results(8).map((found) =>
      found.map((each, index) => ({ ...each, contentHash: `${index}`, gist: index })),
    );
    fc.assert(
      fc.property(distinct, rank, limit, (found, by, most) => {
        const { top, total } = merge(found, by, most, similarity);
        expect(total).toBe(found.length);
        expect(top).toHaveLength(Math.min(most, found.length));
        const window = mergeWindow(found, by, most);
        for (const each of top) expect(window).toContain(each);
      }),
    );
  });

  it('gives half of the places to the most specific, the other half to the best', () => {
    fc.assert(
      fc.property(results(8, 20), limit, (found, most) => {
        const { top } = merge(found, 'precedence', most, similarity);
        const all = merge(found, 'precedence', 40, similarity).top;
        const specific = all.slice(0, Math.ceil(most / 2));
        for (const each of specific) expect(top).toContain(each);
        const least = Math.min(...top.filter((each) => !specific.includes(each)).map(({ score }) => score));
        for (const each of all.filter((one) => !top.includes(one))) expect(each.score).toBeLessThanOrEqual(least);
      }),
      { numRuns: 500 },
    );
  });

  it('does not hide what answers behind many that are more specific', () => {
    const note = (index: number): Result => ({
      id: `n${index}`,
      layer: 'user',
      score: 0.9,
      contentHash: `${index}`,
      gist: index,
    });
    const answer: Result = { id: 'a', layer: 'company', score: 0.99, contentHash: 'a', gist: 99 };
    const found = [...Array.from({ length: 60 }, (_, index) => note(index)), answer];
    expect(merge(found, 'precedence', 10, similarity).top.at(-1)).toBe(answer);
    expect(merge(found, 'precedence', 1, similarity).top).toEqual([note(0)]);
  });
});
