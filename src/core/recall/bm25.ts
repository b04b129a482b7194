/** BM25 over the candidates of a search, from statistics of exactly the partitions that it reaches. */

import type { Candidate, Term, TextStatistics } from '../../ports/entry-store.ts';

// Memories are short, so that repetition and length say little: measured on conversation turns these values find
// clearly more than the customary 1.2 and 0.75.
const K1 = 0.9;
const B = 0.4;

/** How much a term tells: rare ones much, terms that are everywhere almost nothing, but never less than that. */
function inverseDocumentFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

export interface Bm25 {
  /** What to look for, the rarest first: only what anything contains. */
  readonly terms: readonly Term[];
  /** How much of the query's information an entry carries, between 0 and 1: every term, again and again, would be 1. */
  coverage(candidate: Pick<Candidate, 'length' | 'frequencies'>): number;
}

/** Of a query with more than `maxTerms` lexemes that anything contains, the most common ones are left out altogether. */
export function bm25(lexemes: readonly string[], statistics: TextStatistics, maxTerms: number): Bm25 {
  const { documents, averageLength, documentFrequencies } = statistics;
  const asked = lexemes
    .map((lexeme, index) => ({ lexeme, frequency: documentFrequencies[index] ?? 0 }))
    .toSorted((a, b) => a.frequency - b.frequency)
    .map((term) => ({ ...term, weight: inverseDocumentFrequency(documents, term.frequency) }));
  const terms = asked.filter(({ frequency }) => frequency > 0).slice(0, maxTerms);
  // What nothing contains is looked for in vain, but was asked for.
  const missing = asked.filter(({ frequency }) => frequency === 0);
  const ideal = (K1 + 1) * [...missing, ...terms].reduce((sum, { weight }) => sum + weight, 0);
  return {
    terms: terms.map(({ lexeme, weight }) => ({ lexeme, weight })),
    coverage({ length, frequencies }) {
      if (ideal === 0) return 0;
      const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
      const score = terms.reduce((sum, { weight }, index) => {
        const count = frequencies[index] ?? 0;
        return sum + (weight * count * (K1 + 1)) / (count + norm);
      }, 0);
      return score / ideal;
    },
  };
}
