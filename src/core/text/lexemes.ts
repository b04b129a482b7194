/**
 * Text to lexemes: the analysed words that every text index stores and every query asks for. It is done here,
 * once, and not by each database, so that the same query ranks the same everywhere.
 */

import { stemmer } from 'stemmer';
import { americanSpelling } from './british-spellings.ts';
import { folded } from './folding.ts';
import { FORMER_FORMS, IRREGULAR_FORMS } from './irregular-forms.ts';
import { KnownWords } from './known-words.ts';
import { STOP_WORDS } from './stop-words.ts';

/** Letters, marks and digits only: no engine's query syntax can be spelled with them. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Nor with pictures, each of which is a word of its own; a flag is made of two letters. */
const PICTURE = /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}/gu;
const WORD_OR_PICTURE = new RegExp(`${WORD.source}|${PICTURE.source}`, 'gu');
const IS_PICTURE = new RegExp(`^(?:${PICTURE.source})$`, 'u');

/** Scripts that are written without spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const LATIN_WORD = /^[a-z]+$/;

/** Longer words are cut: no one types them, and an index should not keep them. */
const MAX_LEXEME_LENGTH = 40;

/** Building a segmenter loads a dictionary, so it is built when the first unspaced text comes. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(run: string): Intl.SegmentData[] {
  // Always the same language, so that a text has the same words whatever the machine speaks.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return [...segmenter.segment(run)].filter((part) => part.isWordLike);
}

/** The words as they are written. */
function writtenOf(text: string): string[] {
  const runs = text.normalize('NFKC').toLowerCase().match(WORD_OR_PICTURE) ?? [];
  return runs.flatMap((run) => (UNSPACED.test(run) ? segmentsOf(run).map(({ segment }) => segment) : [run]));
}

/** Most of what is written is, and needs no care for scripts and spellings. */
const ASCII = /^\p{ASCII}*$/u;
const ASCII_WORD = /[a-z0-9]+/g;

function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return writtenOf(text)
    .map((word) => (IS_PICTURE.test(word) ? word : folded(word)))
    .filter((word) => word !== '');
}

/** Stands before the lexemes of a speaker's name. No word contains it. */
const SPEAKER_MARK = '·';

function stem(word: string): string {
  if (LATIN_WORD.test(word)) return stemmer(word).slice(0, MAX_LEXEME_LENGTH);
  // By code points: half of a surrogate pair would not come back from a database as it went in.
  return word.length <= MAX_LEXEME_LENGTH ? word : [...word].slice(0, MAX_LEXEME_LENGTH).join('');
}

/** "12th" is 12. */
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;

function lexemeOf(word: string): string {
  return stem(ORDINAL.exec(word)?.[1] ?? IRREGULAR_FORMS.get(word) ?? americanSpelling(word));
}

/** Empty for stop words. */
function indexedLexeme(word: string): string {
  return STOP_WORDS.has(word) ? '' : lexemeOf(word);
}

/** Texts are mostly made of the same words, and a stem takes ten times as long as finding it. When full it begins anew. */
const MOST_KNOWN = 16_384;
/** Longer words are rarer; and as parts of a text they would hold on to all of it. */
const MAX_KNOWN_LENGTH = 12;

/** These are kept as bytes of their own. */
const MAX_KNOWN_LENGTH_IN_ASCII = 20;

const inAscii = new KnownWords(MOST_KNOWN, MAX_KNOWN_LENGTH_IN_ASCII, indexedLexeme);
const inOthers = new Map<string, string>();

/** Of a word in a text that is not only ASCII. */
function otherLexeme(word: string): string {
  const remembered = inOthers.get(word);
  if (remembered !== undefined) return remembered;
  const lexeme = indexedLexeme(word);
  if (inOthers.size >= MOST_KNOWN) inOthers.clear();
  if (word.length <= MAX_KNOWN_LENGTH) inOthers.set(word, lexeme);
  return lexeme;
}

/** The lexemes of a text, in order and with repetitions. Stop words are left out. */
export function lexemesOf(text: string): string[] {
  const lexemes = inAscii.meanings(text);
  if (lexemes !== undefined) return lexemes;
  return wordsOf(text)
    .map(otherLexeme)
    .filter((lexeme) => lexeme !== '');
}

/** The distinct lexemes to look for. A query of nothing but stop words is taken at its word. */
export function queryTerms(query: string): string[] {
  const terms = new Set(lexemesOf(query));
  return terms.size > 0 ? [...terms] : [...new Set(wordsOf(query).map(lexemeOf))];
}

/** Lexemes as texts were indexed that were written before forms were led back to their words, and spellings to one. */
export function formerTerms(query: string): string[] {
  const former = writtenOf(query).filter((word) => !STOP_WORDS.has(word) && wasOnceAnother(word));
  return [...new Set(former.map((word) => stem(FORMER_FORMS.get(word) ?? word)))];
}

function wasOnceAnother(word: string): boolean {
  const spelled = folded(word);
  const isSpelledOtherwise = (spelled !== '' && spelled !== word) || americanSpelling(word) !== word;
  return isSpelledOtherwise || IRREGULAR_FORMS.has(word) || FORMER_FORMS.has(word) || ORDINAL.test(word);
}

/** The lexemes of a name. Nothing in a name is a stop word: people are called Will. */
export function nameLexemes(name: string): string[] {
  return [...new Set(wordsOf(name).map(stem))];
}

/** How the text index says that somebody of this name has said something: no word of any text is spelled so. */
export function speakerLexeme(lexeme: string): string {
  return `${SPEAKER_MARK}${lexeme}`;
}

/** A word of a query that may be somebody's name. */
export interface PossibleName {
  readonly lexeme: string;
  readonly start: number;
  readonly end: number;
}

/** A word where it stands in a text. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Every word of a text as it is written there, also where words are not apart. */
export function placedWords(text: string): PlacedWord[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: run, index }) => {
    if (!UNSPACED.test(run)) return [{ word: run, start: index, end: index + run.length }];
    return segmentsOf(run).map(({ segment: word, index: within }) => {
      const start = index + within;
      return { word, start, end: start + word.length };
    });
  });
}

/** Every word of a text but stop words; these too where they are written as a name within a sentence. */
export function possibleNames(text: string): PossibleName[] {
  return [...text.matchAll(WORD)].flatMap((match) => {
    const [word] = match;
    if (UNSPACED.test(word)) return namesWithin(word, match.index);
    const isStopWord = STOP_WORDS.has(word.toLowerCase());
    const isWithin = /[\p{L}\p{N},;]['"]?\s+$/u.test(text.slice(Math.max(0, match.index - 4), match.index));
    if (isStopWord && !(isWithin && /^\p{Lu}\p{Ll}/u.test(word))) return [];
    const [lexeme] = nameLexemes(word);
    return lexeme === undefined ? [] : [{ lexeme, start: match.index, end: match.index + word.length }];
  });
}

/** Where words are not apart any of them may be a name. */
function namesWithin(run: string, offset: number): PossibleName[] {
  return placedWords(run).flatMap(({ word, start, end }) =>
    nameLexemes(word).map((lexeme) => ({ lexeme, start: offset + start, end: offset + end })),
  );
}
