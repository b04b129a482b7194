/** How often the lexemes of a text are those of a query. */

/** `lexemes` are joined by spaces; `terms` are too, each with one before and one after it. */
export function countTerms(lexemes: string, terms: readonly string[]): number[] {
  const spaced = ` ${lexemes} `;
  return terms.map((term) => countOf(spaced, term));
}

export function countLexemes(lexemes: string): number {
  return lexemes === '' ? 0 : countOf(lexemes, ' ') + 1;
}

/** As {@link countTerms} takes it. */
export function betweenSpaces(lexeme: string): string {
  return ` ${lexeme} `;
}

/** The space after one term is the space before the next. */
function countOf(text: string, term: string): number {
  const step = Math.max(1, term.length - 1);
  let count = 0;
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + step)) count += 1;
  return count;
}
