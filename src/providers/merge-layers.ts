/** Merging what the layers of somebody else's server brought up, as the specification does. */

import type { SearchMemoryOutput } from '../domain/provider.ts';
import { layerPrecedence } from '../domain/scope.ts';
import type { Scored } from './foreign-provider.ts';

/** Most specific layer first, then by score; what a more specific layer says in the same words is left out. */
export function mergeLayers(found: readonly Scored[], limit: number): Omit<SearchMemoryOutput, 'searchedLayers'> {
  const sorted = found.toSorted(
    (a, b) => layerPrecedence(a.memory.layer) - layerPrecedence(b.memory.layer) || b.score - a.score,
  );
  const seen = new Set<string>();
  const kept = sorted.filter(({ memory }) => {
    const words = memory.content.normalize('NFC').replace(/\s+/gu, ' ').trim();
    return !seen.has(words) && seen.add(words) !== undefined;
  });
  const results = kept.slice(0, limit).map(({ memory, score }) => ({ memory, score, layer: memory.layer }));
  return { results, totalCount: kept.length };
}
