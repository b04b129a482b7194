/** Merging what the layers found: order, near-duplicates, top N. Pure. */

import type { RANKS } from '../../domain/recall.ts';
import { layerPrecedence, LAYERS, type Layer } from '../../domain/scope.ts';

/** Contents this similar may be the same; then the more specific layer is kept. */
export const SAME_CONTENT = 0.95;

export interface Ranked {
  readonly id: string;
  readonly layer: Layer;
  readonly score: number;
  readonly contentHash: string;
}

export type Rank = (typeof RANKS)[number];

/** Equal scores fall back on the id, so that the same search always answers in the same order. */
function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}

function byPrecedence(a: Ranked, b: Ranked): number {
  return layerPrecedence(a.layer) - layerPrecedence(b.layer) || byScore(a, b);
}

/** A result that another one says already. */
export interface Overridden<T> {
  readonly result: T;
  readonly by: T;
}

/**
 * Drops what a more specific layer already says. Within one layer only identical content is dropped: two similar
 * memories of one scope are two memories ("order 17 shipped", "order 18 shipped").
 */
function withoutOverridden<T extends Ranked>(
  results: readonly T[],
  similarity: (a: T, b: T) => number,
): { readonly kept: T[]; readonly overridden: Overridden<T>[] } {
  const kept: T[] = [];
  const overridden: Overridden<T>[] = [];
  for (const result of results.toSorted(byPrecedence)) {
    const by = kept.find(
      (other) =>
        other.contentHash === result.contentHash ||
        (other.layer !== result.layer && similarity(other, result) >= SAME_CONTENT),
    );
    if (by === undefined) kept.push(result);
    else overridden.push({ result, by });
  }
  return { kept, overridden };
}

/** How many results past the limit are looked at for duplicates. */
const WINDOW_MARGIN = 40;

export interface Merged<T> {
  readonly top: T[];
  /** How many there were before the limit. */
  readonly total: number;
  readonly overridden: Overridden<T>[];
}

/** The first results that a merge to `limit` will compare with each other. */
export function mergeWindow<T extends Ranked>(results: readonly T[], rank: Rank, limit: number): T[] {
  const size = limit + WINDOW_MARGIN;
  const best = bestOf(results, size);
  const isByScore = rank === 'relevance' || results.every(({ layer }) => layer === results[0]?.layer);
  return isByScore ? best : [...new Set([...firstOf(results, size), ...best])];
}

/** As if all were in the order of their layers. */
function firstOf<T extends Ranked>(results: readonly T[], size: number): T[] {
  const first: T[] = [];
  for (const layer of LAYERS) {
    if (first.length === size) break;
    const own = results.filter((result) => result.layer === layer);
    first.push(...bestOf(own, size - first.length));
  }
  return first;
}

/** Best first. Of hundreds only these are put in order. */
function bestOf<T extends Ranked>(results: readonly T[], size: number): T[] {
  const least = leastOf(results, size);
  return results
    .filter(({ score }) => score >= least)
    .toSorted(byScore)
    .slice(0, size);
}

/** The score that so many results have, or more. */
function leastOf(results: readonly Ranked[], size: number): number {
  if (results.length <= size) return Number.NEGATIVE_INFINITY;
  const scores = new Float64Array(results.length);
  results.forEach(({ score }, index) => {
    scores[index] = score;
  });
  scores.sort();
  return scores[scores.length - size] ?? Number.NEGATIVE_INFINITY;
}

/** The best `limit` results. `similarity` compares the contents of two results by id. */
export function merge<T extends Ranked>(
  results: readonly T[],
  rank: Rank,
  limit: number,
  similarity: (a: T, b: T) => number,
): Merged<T> {
  const window = mergeWindow(results, rank, limit);
  const { kept, overridden } = withoutOverridden(window, similarity);
  const total = results.length - overridden.length;
  return { top: rank === 'relevance' ? bestOf(kept, limit) : mostSpecific(kept, limit), total, overridden };
}

/**
 * Specific layers come first, but do not take every place: half of the places are theirs whatever they score, the other half goes
 * to the best of what is left. Otherwise ten notes that merely share a name would hide the one that answers.
 */
function mostSpecific<T extends Ranked>(kept: readonly T[], limit: number): T[] {
  const ordered = kept.toSorted(byPrecedence);
  const own = Math.ceil(limit / 2);
  return [...ordered.slice(0, own), ...bestOf(ordered.slice(own), limit - own)].toSorted(byPrecedence);
}
