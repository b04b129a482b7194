/** A text as a reader takes it, each unit of which knows where it stands in the text as written. Pure. */

/** From here up to there, in code units. */
export type Span = readonly [from: number, to: number];

export interface ReaderView {
  readonly text: string;
  /** Where something that was found in the view stands in the text as written. */
  readonly written: (span: Span) => Span;
}

/** Letters of other alphabets, and below them the Latin ones that they look like. */
const OTHERS = 'асԁегһіӏјкмпорѕтѵԝхуɡıɑʏαεικμνορστυχγη';
const LATINS = 'acderhiljkmnopstvwxygiayaeikmvopotuxyn';

/** In small plain letters; full-width and other compatible forms as what they stand for; brackets of any shape as square. */
export function readerView(text: string): ReaderView {
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
  if (char <= '\x7f') return char.toLowerCase();
  const plain = char
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
  if (/^[\p{Ps}--[\(\{]]$/v.test(plain)) return '[';
  if (/^[\p{Pe}--[\)\}]]$/v.test(plain)) return ']';
  const other = plain === '' ? -1 : OTHERS.indexOf(plain);
  return LATINS[other] ?? plain;
}
