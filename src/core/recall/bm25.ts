/** BM25 over the candidates of a search, from statistics of exactly the partitions that it reaches. */

import type { Term, TextStatistics } from '../../ports/entry-store.ts';

// Memories are short, so that repetition and length say little: measured on conversation turns these values find
// clearly more than the customary 1.2 and 0.75.
const K1 = 0.9;
const B = 0.4;

/** A text that is longer than so many average ones counts as that long: among short notes a document would be found by no word of it. */
const LONGEST = 3;

/** How much a term tells: rare ones much, terms that are everywhere almost nothing, but never less than that. */
function inverseDocumentFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

export interface Bm25 {
  /** What to look for, the rarest first: only what anything contains. */
  readonly terms: readonly Term[];
  /**
   * How much of the query's information a text of so many lexemes carries, between 0 and 1: every term, again and again, would
   * be 1. `counts` say from `start` on how often it has each of the terms, in their order; words that stand beside it count
   * less than once. Where it is known who said it, names of speakers are not looked for in it.
   */
  coverage(length: number, counts: ArrayLike<number>, start?: number, isSpoken?: boolean): number;
}

/**
 * Of a query with more than `maxTerms` lexemes that anything contains, the most common ones are left out altogether. `names`
 * are those of its lexemes that name speakers.
 */
export function bm25(
  lexemes: readonly string[],
  statistics: TextStatistics,
  maxTerms: number,
  names: ReadonlySet<string> = new Set(),
): Bm25 {
  const { documents, averageLength, documentFrequencies } = statistics;
  const asked = lexemes
    .map((lexeme, index) => ({ lexeme, frequency: documentFrequencies[index] ?? 0, isName: names.has(lexeme) }))
    .toSorted((a, b) => a.frequency - b.frequency)
    .map((term) => ({ ...term, weight: inverseDocumentFrequency(documents, term.frequency) }));
  const terms = asked.filter(({ frequency }) => frequency > 0).slice(0, maxTerms);
  // What nothing contains is looked for in vain, but was asked for.
  const sought = [...asked.filter(({ frequency }) => frequency === 0), ...terms];
  const ideal = idealOf(sought);
  const spokenIdeal = idealOf(sought.filter(({ isName }) => !isName));
  const weights = terms.map(({ weight }) => weight);
  const spokenWeights = terms.map(({ weight, isName }) => (isName ? 0 : weight));
  return {
    terms: terms.map(({ lexeme, weight }) => ({ lexeme, weight })),
    coverage(length, counts, start = 0, isSpoken = false) {
      const most = isSpoken ? spokenIdeal : ideal;
      if (most === 0) return 0;
      const worth = isSpoken ? spokenWeights : weights;
      const norm = K1 * (1 - B + B * Math.min(LONGEST, length / Math.max(1, averageLength)));
      let score = 0;
      for (let term = 0; term < worth.length; term += 1) {
        const count = counts[start + term] ?? 0;
        if (count > 0) score += ((worth[term] ?? 0) * count * (K1 + 1)) / (count + norm);
      }
      return score / most;
    },
  };
}

function idealOf(terms: readonly { readonly weight: number }[]): number {
  return (K1 + 1) * terms.reduce((sum, { weight }) => sum + weight, 0);
}
