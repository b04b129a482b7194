/** Where in a text the words of a query stand, in whatever form. Pure. */

import { lexemesOf, placedWords } from './lexemes.ts';

export interface Match {
  readonly start: number;
  readonly end: number;
  readonly lexeme: string;
}

/** In the order of the text. `terms` are lexemes. */
export function matchesIn(text: string, terms: ReadonlySet<string>): Match[] {
  return placedWords(text).flatMap(({ word, start, end }) => {
    const lexeme = lexemesOf(word).find((each) => terms.has(each));
    return lexeme === undefined ? [] : [{ start, end, lexeme }];
  });
}

/** The same as the words that are written there, each once: "ran" and "Running" for a query that says "run". */
export function matchedWords(text: string, terms: ReadonlySet<string>): string[] {
  return [...new Set(matchesIn(text, terms).map(({ start, end }) => text.slice(start, end)))];
}
