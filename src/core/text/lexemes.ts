/**
 * Text to lexemes: the analysed words that every text index stores and every query asks for. It is done here,
 * once, and not by each database, so that the same query ranks the same everywhere.
 */

import { stemmer } from 'stemmer';
import { STOP_WORDS } from './stop-words.ts';

/** Letters, marks and digits only: no engine's query syntax can be spelled with them. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const LATIN_WORD = /^[a-z]+$/;

/** Longer words are cut: no one types them, and an index should not keep them. */
const MAX_LEXEME_LENGTH = 40;

/** Building a segmenter loads a dictionary, so it is built when the first unspaced text comes. */
let segmenter: Intl.Segmenter | undefined;

function splitUnspaced(run: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
}

function wordsOf(text: string): string[] {
  const runs = text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  return runs.flatMap((run) => (UNSPACED.test(run) ? splitUnspaced(run) : [run]));
}

function stem(word: string): string {
  if (LATIN_WORD.test(word)) return stemmer(word).slice(0, MAX_LEXEME_LENGTH);
  // By code points: half of a surrogate pair would not come back from a database as it went in.
  return word.length <= MAX_LEXEME_LENGTH ? word : [...word].slice(0, MAX_LEXEME_LENGTH).join('');
}

/** The lexemes of a text, in order and with repetitions. Stop words are left out. */
export function lexemesOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (STOP_WORDS.has(word) ? [] : [stem(word)]));
}

/** The distinct lexemes to look for. A query of nothing but stop words is taken at its word. */
export function queryTerms(query: string): string[] {
  const terms = new Set(lexemesOf(query));
  return terms.size > 0 ? [...terms] : [...new Set(wordsOf(query).map(stem))];
}
