/**
 * How much an entry promises by its words: BM25 as the core ranks by it, which decides here only what is worth ranking. Once as SQL and
 * once not, added up alike to the last digit, so that a reach gives the same candidates whichever way it is searched.
 */

import type { Term } from '../../ports/entry-store.ts';

/** Of a row `w` of an entry's words; `average` says how many an entry has on average. */
export const promiseBy = (average: string): string =>
  `w.weight * w.frequency * 1.9 / (w.frequency + 0.9 * (0.6 + 0.4 * w.length / ${average}))`;

/** Over such rows, where `reach` says how many. */
export const PROMISE = `sum(${promiseBy('(SELECT r.average FROM reach r)')})`;

/** Of an entry of so many words that has each of the terms so often. */
export function promiseOf(
  length: number,
  frequencies: readonly number[],
  terms: readonly Term[],
  average: number,
): number {
  const norm = 0.9 * (0.6 + (4 * length) / 10 / average);
  let promise = 0;
  for (const [index, { weight }] of terms.entries()) {
    const frequency = frequencies[index] ?? 0;
    if (frequency > 0) promise += (weight * frequency * 1.9) / (frequency + norm);
  }
  return promise;
}
