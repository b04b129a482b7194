/** A text as redaction looks at it: in plain characters, each of which knows where it stands in the text as written. Pure. */

/** From here up to there, in code units. */
export type Span = readonly [from: number, to: number];

export interface PlainView {
  readonly text: string;
  /** Where something that was found in the view stands in the text as written. */
  readonly written: (span: Span) => Span;
}

/** They cannot be seen, and so hide what stands around them: soft hyphen, zero-width characters, marks of direction. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/;
const DASH = /[\u2010-\u2015\u2212]/;
const DOUBLE_QUOTE = /[“”„]/;
const SINGLE_QUOTE = /[‘’‚]/;
const PLAIN = /^[\0-\x7f]*$/;

/** Full-width digits, spaces that do not break and the like become what they stand for (NFKC), character by character. */
export function plainView(text: string): PlainView {
  if (PLAIN.test(text)) return { text, written: (span) => span };
  const parts: string[] = [];
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const char of text) {
    const plain = plainOf(char);
    for (let unit = 0; unit < plain.length; unit += 1) {
      from.push(at);
      to.push(at + char.length);
    }
    parts.push(plain);
    at += char.length;
  }
  return { text: parts.join(''), written: ([first, end]) => [from[first] ?? at, to[end - 1] ?? at] };
}

function plainOf(char: string): string {
  if (char <= '\x7f') return char;
  if (INVISIBLE.test(char)) return '';
  if (DASH.test(char)) return '-';
  if (DOUBLE_QUOTE.test(char)) return '"';
  if (SINGLE_QUOTE.test(char)) return "'";
  return char.normalize('NFKC');
}
