/**
 * One spelling for what is written in several: with and without marks that readers leave out, in this or that form of the same
 * letter or digit. Takes words in lower case and in composed form.
 */

/** Nothing in it can be spelled otherwise, and so it is with most words. */
const PLAIN = /^[a-z0-9]+$/;

/** Marks over and under letters of scripts in which a word is still read without them. */
const LATIN_OR_GREEK = /[\p{Script=Latin}\p{Script=Greek}]/u;
const MARKS = /[\u0300-\u036F]/gu;

/** Letters of their own that have a usual spelling without them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ё: 'е',
  // Arabic, and the same letters as Persian and Urdu write them.
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};

const OTHER_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Arabic vowel signs, the line that stretches a word, and the points of Hebrew. */
const POINTS =
  /[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E8\u06EA-\u06ED]/gu;

/** The article, alone or after a particle, where enough of a word is left without it. */
const ARABIC_ARTICLE = /^(?:[وبكف]?ال|لل)(?=\p{Script=Arabic}{3})/u;

const DIGITS = /\p{Nd}/gu;
const IS_DIGIT = /\p{Nd}/u;

/** Empty for what is nothing but marks. */
export function folded(word: string): string {
  if (PLAIN.test(word)) return word;
  const bare = LATIN_OR_GREEK.test(word) ? word.normalize('NFD').replaceAll(MARKS, '').normalize('NFC') : word;
  const text = bare
    .replaceAll(POINTS, '')
    .replaceAll(OTHER_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(DIGITS, digitOf)
    .replace(ARABIC_ARTICLE, '');
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}

/** The ten digits of a script stand in a row; some scripts have several rows, one after the other. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (IS_DIGIT.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}
