/** BM25 over the candidates of a search, from statistics of exactly the partitions that it reaches. */

import type { Term, TextStatistics } from '../../ports/entry-store.ts';

// Memories are short, so that repetition and length say little: measured on conversation turns these values find
// clearly more than the customary 1.2 and 0.75.
const K1 = 0.9;
const B = 0.4;

/** How much a term tells: rare ones much, terms that are everywhere almost nothing, but never less than that. */
function inverseDocumentFrequency(documents: number, frequency: number): number {
  return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

/** A text as BM25 sees it. */
export interface Counted {
  /** How many lexemes it has. */
  readonly length: number;
  /** How often it has each of the terms, in their order; words that stand beside it count less than once. */
  readonly frequencies: readonly number[];
}

export interface Bm25 {
  /** What to look for, the rarest first: only what anything contains. */
  readonly terms: readonly Term[];
  /**
   * How much of the query's information a text carries, between 0 and 1: every term, again and again, would be 1. Where it is
   * known who said it, names of speakers are not looked for in it.
   */
  coverage(counted: Counted, isSpoken?: boolean): number;
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
  return {
    terms: terms.map(({ lexeme, weight }) => ({ lexeme, weight })),
    coverage({ length, frequencies }, isSpoken = false) {
      const most = isSpoken ? spokenIdeal : ideal;
      if (most === 0) return 0;
      const norm = K1 * (1 - B + (B * length) / Math.max(1, averageLength));
      let score = 0;
      for (let index = 0; index < terms.length; index += 1) {
        const term = terms[index];
        const count = frequencies[index] ?? 0;
        if (term === undefined || count === 0 || (term.isName && isSpoken)) continue;
        score += (term.weight * count * (K1 + 1)) / (count + norm);
      }
      return score / most;
    },
  };
}

function idealOf(terms: readonly { readonly weight: number }[]): number {
  return (K1 + 1) * terms.reduce((sum, { weight }) => sum + weight, 0);
}
