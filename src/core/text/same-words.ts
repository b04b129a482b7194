/**
 * Whether two texts say the same, word for word. To an embedding "not allergic" and "allergic" are nearly the same, and of a long
 * text it sees only the beginning: so it tells where to look, and words decide. What is in doubt is not the same. Pure.
 */

import { sameFigures } from '../../domain/near-duplicate.ts';
import { folded } from './folding.ts';
import { UNSPACED } from './lexemes.ts';
import { STOP_WORDS } from './stop-words.ts';

/** A word, or the mark that stands for one. */
interface Token {
  readonly word: string;
  /** Written in small letters: no name, and no name's beginning. */
  readonly isSmall: boolean;
  readonly isWord: boolean;
}

/**
 * Words; signs that mean something ("C++", "!valid", "--force", "👍", "€", a question mark); and the end of a sentence that another
 * one follows. All other punctuation, and all white space, says nothing.
 */
const TOKENS =
  /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\p{P}\p{Sk}\p{Cc}\p{Cf}\s]|[\^#%&*@\\/?؟]|!(?=[\p{L}\p{N}=])|(?<![\p{L}\p{M}\p{N}])-(?=[\p{L}\p{N}-])|[.;!](?=\s)|。/gu;
const WORD = /^[\p{L}\p{M}\p{N}]/u;
const END = '.';
const ENDS: ReadonlySet<string> = new Set([END, ';', '!', '。']);

/** Words of no other language that is written alike. Where there is none of them nothing is known of the language. */
const ENGLISH: ReadonlySet<string> = new Set(
  (
    'the and are were with this that these those from they their them she his which when where would should could your ' +
    'our every because likes prefers uses works lives wants needs speaks drinks owns'
  ).split(' '),
);

const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** Before these an article is more: few is not a few. */
const MEASURED: ReadonlySet<string> = new Set(['few', 'little', 'lot', 'number']);

/** Not the plural of what they look like. */
const PLURALS_OF_THEIR_OWN: ReadonlySet<string> = new Set(
  'arms besides customs glasses goods means news sometimes'.split(' '),
);

const MANY_AFTER_HISSING = /(?:s|x|z|ch|sh)$/;
const ENGLISH_WORD = /^[a-z]{3,}$/;

/**
 * The whole texts, however long: the same words in the same order, whatever their case, punctuation and white space. In English
 * also with and without articles and accents, or with one word in the singular or plural. Tense, person, negation,
 * prepositions and order make a difference; and accents do in other languages, where they may be all that tells past from present.
 */
export function sameWords(a: string, b: string): boolean {
  if (!sameFigures(a, b)) return false;
  const [left, right] = [tokensOf(a), tokensOf(b)];
  if (areSame(left, right)) return true;
  if (!isEnglish(left) && !isEnglish(right)) return false;
  const [ours, theirs] = [left.map(unaccented), right.map(unaccented)];
  return areSame(withoutArticles(ours), withoutArticles(theirs)) || areSameButForNumber(ours, theirs);
}

function tokensOf(text: string): Token[] {
  const found = text.normalize('NFKC').replaceAll('−', '-').trim().match(TOKENS) ?? [];
  const tokens = found.flatMap(tokensIn);
  return tokens.at(-1)?.word === END ? tokens.slice(0, -1) : tokens;
}

/** Where words are not apart, neither is anything else: character by character, wherever there are spaces. */
function tokensIn(written: string): Token[] {
  if (ENDS.has(written)) return [{ word: END, isSmall: false, isWord: false }];
  const isWord = WORD.test(written);
  const parts = isWord && UNSPACED.test(written) ? [...written] : [written];
  return parts.map((part) => {
    const word = part.toLowerCase();
    return { word, isSmall: word === part, isWord };
  });
}

function areSame(left: readonly Token[], right: readonly Token[]): boolean {
  return left.length > 0 && left.length === right.length && left.every(({ word }, at) => word === right[at]?.word);
}

function isEnglish(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }) => ENGLISH.has(word));
}

function unaccented(token: Token): Token {
  return token.isWord ? { ...token, word: folded(token.word) || token.word } : token;
}

function withoutArticles(tokens: readonly Token[]): Token[] {
  return tokens.filter((token, at) => !isArticle(token, tokens[at - 1], tokens[at + 1]));
}

/** Only before what can have one; and an A within a sentence is a letter: "plan A works". */
function isArticle({ word, isSmall }: Token, before: Token | undefined, next: Token | undefined): boolean {
  if (!ARTICLES.has(word) || next === undefined || !next.isWord) return false;
  if (STOP_WORDS.has(next.word) || MEASURED.has(next.word)) return false;
  const isFirst = before === undefined || before.word === END;
  return word !== 'a' || isSmall || isFirst;
}

/** One word at most, because "my brother lives" and "my brothers live" differ in two; and articles as they are: a dog is not dogs. */
function areSameButForNumber(left: readonly Token[], right: readonly Token[]): boolean {
  if (left.length !== right.length) return false;
  const differing = left.flatMap((one, at) => {
    const other = right[at];
    return other === undefined || one.word === other.word ? [] : [[one, other] as const];
  });
  const [pair, ...more] = differing;
  return pair !== undefined && more.length === 0 && areOneAndMany(...pair);
}

/** Names and days are written with a capital letter, and Roberts is not Robert. */
function areOneAndMany(one: Token, other: Token): boolean {
  if (!one.isSmall || !other.isSmall) return false;
  const [single, several] = one.word.length < other.word.length ? [one.word, other.word] : [other.word, one.word];
  const isOrdinary = ENGLISH_WORD.test(single) && !STOP_WORDS.has(single) && !STOP_WORDS.has(several);
  return isOrdinary && !PLURALS_OF_THEIR_OWN.has(several) && several === pluralOf(single);
}

function pluralOf(word: string): string {
  if (MANY_AFTER_HISSING.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
