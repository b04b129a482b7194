/** What of a small reach is worth ranking: the most promising by words and the nearest in meaning, as the statement of a search chooses them. */

import type { Candidate, Term } from '../../ports/entry-store.ts';
import { candidateOf } from '../sql/described.ts';
import type { Described } from './postgres-described.ts';
import { promiseOf } from './postgres-promise.ts';

/** An entry, and what it has of what is looked for. */
export interface Found {
  readonly described: Described;
  readonly frequencies: readonly number[];
  /** Undefined where it has no vector. */
  readonly distance: number | undefined;
}

/** What of everything in reach to choose. */
export interface Choice {
  readonly terms: readonly Term[];
  /** How many words there are in an entry of the reach, on average. */
  readonly average: number;
  readonly isByMeaning: boolean;
  readonly limit: number;
}

export function chosenOf(found: readonly Found[], { terms, average, isByMeaning, limit }: Choice): Candidate[] {
  const byWords = mostPromising(found.filter(hasAnyTerm), terms, average, limit);
  const byMeaning = isByMeaning ? nearest(found, limit) : [];
  return [...new Set([...byWords, ...byMeaning])].map(({ described: { entry }, frequencies, distance }) =>
    candidateOf(entry, frequencies, distance === undefined ? undefined : 1 - distance),
  );
}

/** Of partitions together. */
export function averageOf(partitions: readonly { readonly entries: number; readonly lexemes: number }[]): number {
  const [words, entries] = [sumOf(partitions, ({ lexemes }) => lexemes), sumOf(partitions, (each) => each.entries)];
  return Math.max(1, words / Math.max(1, entries));
}

export function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

function hasAnyTerm({ frequencies }: Found): boolean {
  return frequencies.some((count) => count > 0);
}

function mostPromising(
  hits: readonly Found[],
  terms: readonly Term[],
  average: number,
  limit: number,
): readonly Found[] {
  if (hits.length <= limit) return hits;
  const promised = hits.map((found) => ({
    found,
    promise: promiseOf(found.described.entry.length, found.frequencies, terms, average),
  }));
  promised.sort((a, b) => b.promise - a.promise || a.found.described.seq - b.found.described.seq);
  return promised.slice(0, limit).map(({ found }) => found);
}

function nearest(all: readonly Found[], limit: number): readonly Found[] {
  const compared = all.filter(({ distance }) => distance !== undefined);
  if (compared.length <= limit) return compared;
  // Numbers are sorted in a fraction of the time.
  const farthest = Number(Float64Array.from(compared, ({ distance }) => Number(distance)).toSorted()[limit - 1]);
  const near = compared.filter(({ distance }) => !(Number(distance) > farthest));
  if (near.length === limit) return near;
  return near.toSorted((a, b) => Number(a.distance) - Number(b.distance)).slice(0, limit);
}
