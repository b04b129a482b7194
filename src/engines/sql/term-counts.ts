/** How often the lexemes of a text are those of a query. A search counts in hundreds of texts: nothing is made on the way. */

const SPACE = 32;

/** `lexemes` are joined by spaces. */
export function countTerms(lexemes: string, terms: readonly string[]): number[] {
  return terms.map((term) => countOf(lexemes, term));
}

export function countLexemes(lexemes: string): number {
  if (lexemes === '') return 0;
  let count = 1;
  for (let at = lexemes.indexOf(' '); at !== -1; at = lexemes.indexOf(' ', at + 1)) count += 1;
  return count;
}

/** Only where it stands between spaces, or at an end. */
function countOf(lexemes: string, term: string): number {
  let count = 0;
  for (let at = lexemes.indexOf(term); at !== -1; at = lexemes.indexOf(term, at + 1)) {
    const end = at + term.length;
    const isStart = at === 0 || lexemes.charCodeAt(at - 1) === SPACE;
    if (isStart && (end === lexemes.length || lexemes.charCodeAt(end) === SPACE)) count += 1;
  }
  return count;
}
