/** How often the lexemes of a text are those of a query. A search counts in hundreds of texts: nothing is made on the way. */

const SPACE = 32;

/** `lexemes` are joined by spaces. Most texts have none of the terms: those all get the same list. */
export function countTerms(lexemes: string, terms: readonly string[]): readonly number[] {
  let counts: number[] | undefined;
  for (let index = 0; index < terms.length; index += 1) {
    const count = countOf(lexemes, terms[index] ?? '');
    if (count === 0) continue;
    counts ??= [...zeros(terms.length)];
    counts[index] = count;
  }
  return counts ?? zeros(terms.length);
}

const ZEROS: (readonly number[])[] = [];

function zeros(length: number): readonly number[] {
  const known = ZEROS[length] ?? Array.from({ length }, () => 0);
  ZEROS[length] = known;
  return known;
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
