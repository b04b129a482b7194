/** A text as a reader takes it. Pure. */

import { viewOf, type TextView } from '../../domain/text-view.ts';

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
export function readerView(text: string): TextView {
  return viewOf(text, plainOf);
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
