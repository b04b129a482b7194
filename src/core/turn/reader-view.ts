/** A text as a reader takes it, each unit of which knows where it stands in the text as written. Pure. */

/** From here up to there, in code units. */
export type Span = readonly [from: number, to: number];

export interface ReaderView {
  readonly text: string;
  /** Where something that was found in the view stands in the text as written. */
  readonly written: (span: Span) => Span;
}

/** What looks like a Latin letter without being a form of it: the common ones, not all that there are. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аɑαᴀᎪꓮⱥ',
  b: 'ьʙᏴꓐƀβ',
  c: 'сᴄϲᏟꓚȼ',
  d: 'ԁᴅᎠꓓđժ',
  e: 'еεᴇɛᎬꓰɇҽ',
  f: 'ꜰғꓝƒ',
  g: 'ɡɢᏀꓖǥց',
  h: 'һʜнᎻꓧħհ',
  i: 'іιıɪɩᎥꓲɨ',
  j: 'јᴊᎫꓙɉյ',
  k: 'кκᴋᏦꓗ',
  l: 'ӏʟᏞꓡłǀ',
  m: 'мμᴍᎷꓟ',
  n: 'пηɴոꓠ',
  o: 'оοσᴏօꓳøɵ',
  p: 'рρᴘᏢꓑ',
  q: 'ԛգզ',
  r: 'гʀᏒꓣɍꭇ',
  s: 'ѕꜱᏚꓢʂ',
  t: 'тτᴛᎢꓔŧ',
  u: 'υᴜսꓴʉʋ',
  v: 'ѵνᴠᏙꓦ',
  w: 'ԝᴡաᎳꓪω',
  x: 'хχꓫ',
  y: 'уγʏүᎩꓬɏ',
  z: 'ᴢᏃꓜƶ',
  '|': '│┃∣❘⏐ǁ',
  '[': '«‹≪˂ᐸ',
  ']': '»›≫˃ᐳ',
};

const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKALIKES).flatMap(([plain, others]) => [...others].map((other) => [other.toLowerCase(), plain])),
);

/** Where white letters on circles and squares begin, and letters as flags are made of. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

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
  // Quotation marks that begin below the line count as opening brackets.
  if (/^[\p{Ps}--[\(\{‚„]]$/v.test(plain)) return '[';
  if (/^[\p{Pe}--[\)\}]]$/v.test(plain)) return ']';
  return PLAIN.get(plain) ?? letterOf(char.codePointAt(0) ?? 0) ?? plain;
}

function letterOf(code: number): string | undefined {
  const first = ALPHABETS.find((start) => code >= start && code < start + 26);
  return first === undefined ? undefined : String.fromCodePoint(0x61 + code - first);
}
