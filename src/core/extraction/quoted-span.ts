/** Where a quote stands in a text. Pure. */

import { literal } from './literal-pattern.ts';

/** Fewer letters than this stand in every text: they would prove nothing. */
const LEAST_LETTERS = 3;

const LETTER = /[\p{L}\p{N}]/gu;

export interface Span {
  /** In UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** As it stands there. */
  readonly text: string;
}

/** Word for word, but for white space. Undefined where it does not stand there, or says too little to be a quote. */
export function quotedSpan(text: string, quote: string): Span | undefined {
  const words = quote.trim().split(/\s+/u);
  const isWhole = quote.trim() === text.trim();
  if (!isWhole && (quote.match(LETTER)?.length ?? 0) < LEAST_LETTERS) return undefined;
  const found = new RegExp(words.map(literal).join(String.raw`\s+`), 'u').exec(text);
  if (found === null || found[0] === '') return undefined;
  return { start: found.index, end: found.index + found[0].length, text: found[0] };
}
