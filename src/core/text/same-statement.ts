/** What texts that are nearly the same to an embedding may still differ in, so that they do not say the same. Pure. */

import { sameFigures } from '../../domain/near-duplicate.ts';
import { STOP_WORDS } from './stop-words.ts';

const NEGATION =
  /\b(?:not|no|never|none|nothing|neither|nor|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne)\b/giu;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const CAPITAL = /^\p{Lu}/u;

/** Neither another number nor a "not" more or less. */
export function sameStatement(one: string, other: string): boolean {
  return sameFigures(one, other) && negations(one) === negations(other);
}

function negations(text: string): number {
  return text.match(NEGATION)?.length ?? 0;
}

/**
 * Whether no name of the one is another name in the other: Bob is not Carol, and Lisbon may be Lisbon in Portugal. A name is
 * what has a capital letter, also where that only begins a sentence: in doubt they are not the same.
 */
export function sameNames(one: string, other: string): boolean {
  return namesBeyond(one, other) === 0 || namesBeyond(other, one) === 0;
}

/** How many names of a text are no words of the other. */
function namesBeyond(text: string, other: string): number {
  const words = new Set(wordsOf(other).map((word) => word.toLowerCase()));
  const names = wordsOf(text).filter((word) => CAPITAL.test(word) && !STOP_WORDS.has(word.toLowerCase()));
  return names.filter((name) => !words.has(name.toLowerCase())).length;
}

function wordsOf(text: string): string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}
