/** What the ranking reads of an entry and can be remembered, because no question changes it. */

import type { Candidate } from '../../ports/entry-store.ts';

export type DescribedEntry = Omit<Candidate, 'frequencies' | 'similarity'>;

/** With what depends on the question. Field by field: a search makes hundreds, and copying all of one takes longer. */
export function candidateOf(
  entry: DescribedEntry,
  frequencies: readonly number[],
  similarity: number | undefined,
): Candidate {
  return {
    id: entry.id,
    layer: entry.layer,
    contentHash: entry.contentHash,
    importance: entry.importance,
    confidence: entry.confidence,
    since: entry.since,
    length: entry.length,
    frequencies,
    similarity,
    said: entry.said,
  };
}
