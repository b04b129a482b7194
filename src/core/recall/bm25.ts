/** BM25 over the candidates of a search, from statistics of exactly the partitions that it reaches. */

import type { TextStatistics } from '../../ports/entry-store.ts';

// Memories are short, so that repetition and length say little: measured on conversation turns these values find
// clearly more than the customary 1.2 and 0.75.
const K1 = 0.9;
const B = 0.4;

/** How much a term tells: rare ones much, terms that are everywhere almost nothing, but never less than that. */
function inverseDocumentFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

export interface Bm25 {
  /** How much of the query's information the lexemes carry, between 0 and 1: every term, again and again, would be 1. */
  coverage(lexemes: readonly string[]): number;
}

export function bm25(terms: readonly string[], statistics: TextStatistics): Bm25 {
  const { documents, averageLength, documentFrequencies } = statistics;
  const weights = new Map(
    terms.map((term, index) => [term, inverseDocumentFrequency(documents, documentFrequencies[index] ?? 0)]),
  );
  const ideal = (K1 + 1) * [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return {
    coverage(lexemes) {
      if (ideal === 0) return 0;
      const counts = new Map<string, number>();
      for (const lexeme of lexemes) {
        if (weights.has(lexeme)) counts.set(lexeme, (counts.get(lexeme) ?? 0) + 1);
      }
      const norm = K1 * (1 - B + (B * lexemes.length) / Math.max(1, averageLength));
      let score = 0;
      for (const [term, count] of counts) score += ((weights.get(term) ?? 0) * count * (K1 + 1)) / (count + norm);
      return score / ideal;
    },
  };
}
