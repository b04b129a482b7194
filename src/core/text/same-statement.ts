/** What texts that are nearly the same to an embedding may still differ in, so that they do not say the same. Pure. */

import { sameFigures } from '../../domain/near-duplicate.ts';
import { lexemesOf } from './lexemes.ts';
import { STOP_WORDS } from './stop-words.ts';

const NEGATION =
  /\b(?:not|no|never|none|nothing|neither|nor|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne)\b/giu;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const CAPITAL = /^\p{Lu}/u;

/**
 * Of each only one is true at a time: another one in its place is another statement, however alike the rest is. Forms and other words for
 * the same stand together.
 */
const CHOICES: readonly ReadonlyMap<string, number>[] = [
  'monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekday weekdays, weekend weekends',
  'january, february, march, april, may, june, july, august, september, october, november, december',
  'spring, summer, autumn fall, winter',
  'morning mornings, afternoon afternoons, evening evenings, night nights, noon, midnight',
  'yesterday, today, tomorrow',
  'hourly, daily, weekly, monthly, yearly annually',
  'always, often, sometimes, rarely seldom',
  'before, after',
  'left, right',
  'more, less fewer',
  'like likes liked love loves loved enjoy enjoys enjoyed, dislike dislikes disliked hate hates hated',
  'start starts started, stop stops stopped',
  'enable enables enabled, disable disables disabled',
  'open opens opened, close closes closed',
  'buy buys bought, sell sells sold',
  'hot warm, cold',
  'small, large big',
  'red, blue, green, yellow, black, white, brown, grey gray, orange, purple, pink',
  'mother mom mum, father dad, sister, brother, wife, husband, son, daughter, grandmother, grandfather, aunt, uncle, niece, nephew, cousin',
  'north, south, east, west',
].map(alternatives);

/** By word which of them it is. */
function alternatives(choice: string): ReadonlyMap<string, number> {
  return new Map(choice.split(', ').flatMap((words, index) => words.split(' ').map((word) => [word, index] as const)));
}

/** Words between what may not change places: "planes over trains". */
const RELATION = /\b(?:over|than|before|after|from|instead|rather|versus|vs)\b|['’]s\b/iu;

/**
 * Neither another number nor a "not" more or less, no other name or day, and nothing has changed places. Texts that an embedding finds nearly the same
 * differ in nothing else that matters, mostly.
 */
export function sameStatement(one: string, other: string): boolean {
  return (
    sameFigures(one, other) &&
    negations(one) === negations(other) &&
    sameNames(one, other) &&
    sameChoices(one, other) &&
    sameOrder(one, other)
  );
}

function sameChoices(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => wordsOf(text).map((word) => word.toLowerCase()));
  return CHOICES.every((choice) => {
    const [a, b] = [chosen(choice, left), chosen(choice, right)];
    // Who says more says nothing else.
    return a.size === 0 || b.size === 0 || a.isSubsetOf(b) || b.isSubsetOf(a);
  });
}

function chosen(choice: ReadonlyMap<string, number>, words: readonly string[] = []): Set<number> {
  return new Set(words.flatMap((word) => choice.get(word) ?? []));
}

/** Where both have just the same words, and something stands between them. */
function sameOrder(one: string, other: string): boolean {
  if (!RELATION.test(one) || !RELATION.test(other)) return true;
  const [left, right] = [lexemesOf(one), lexemesOf(other)];
  return left.toSorted().join(' ') !== right.toSorted().join(' ') || left.join(' ') === right.join(' ');
}

function negations(text: string): number {
  return text.match(NEGATION)?.length ?? 0;
}

/**
 * Whether no name of the one is another name in the other: Bob is not Carol, and Lisbon may be Lisbon in Portugal. A name is
 * what has a capital letter, also where that only begins a sentence: in doubt they are not the same.
 */
function sameNames(one: string, other: string): boolean {
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
