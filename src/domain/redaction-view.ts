/** A text as redaction sees it: in plain characters. Pure. */

import { viewOf, type TextView } from './text-view.ts';

/** Invisible characters that can break up a match: soft hyphen, zero-width characters, direction marks. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/;
const DASH = /[\u2010-\u2015\u2212]/;
const DOUBLE_QUOTE = /[“”„]/;
const SINGLE_QUOTE = /[‘’‚]/;
const PLAIN = /^[\0-\x7f]*$/;

/** Full-width digits, non-breaking spaces and the like become their plain equivalents (NFKC), character by character. */
export function plainView(text: string): TextView {
  if (PLAIN.test(text)) return { text, written: (span) => span };
  return viewOf(text, plainOf);
}

function plainOf(char: string): string {
  if (char <= '\x7f') return char;
  if (INVISIBLE.test(char)) return '';
  if (DASH.test(char)) return '-';
  if (DOUBLE_QUOTE.test(char)) return '"';
  if (SINGLE_QUOTE.test(char)) return "'";
  return char.normalize('NFKC');
}
