/** Text of others on a terminal: as wide as it looks, cut to fit, and never a command to the terminal. Pure. */

/** Control characters, and those that turn the text around. */
const UNSHOWN = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Two columns each: https://www.unicode.org/reports/tr11/, W and F. */
const WIDE =
  /^[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[\x20-\x7E]*$/;

const ELLIPSIS = '…';

function graphemesOf(text: string): string[] {
  return [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment);
}

function columnsOf(grapheme: string): number {
  if (WIDE.test(grapheme) || EMOJI.test(grapheme)) return 2;
  return NO_WIDTH.test(grapheme) ? 0 : 1;
}

/** How many columns of a terminal it takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + columnsOf(grapheme), 0);
}

/** At most so many columns, with … where something is missing. */
export function fitted(text: string, width: number): string {
  // A character takes at least a column, or belongs to one that does: what is far behind need not be looked at.
  const near = text.slice(0, Math.max(width, 0) * 8 + 64);
  if (near.length === text.length && widthOf(text) <= width) return text;
  let kept = '';
  let columns = 1;
  for (const grapheme of graphemesOf(near)) {
    columns += columnsOf(grapheme);
    if (columns > width) break;
    kept += grapheme;
  }
  return width < 1 ? '' : `${kept.trimEnd()}${ELLIPSIS}`;
}

/** Filled up with blanks. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? `${text}${blanks}` : `${blanks}${text}`;
}

/** Whether a terminal shows all of it, as it is and on one line. */
export function isShown(text: string): boolean {
  return !UNSHOWN.test(text);
}

/** On one line, and harmless. */
export function oneLine(text: string): string {
  return text.replaceAll(new RegExp(`(?:\\s|${UNSHOWN.source})+`, 'gu'), ' ').trim();
}

/** On its own lines, and harmless. */
export function ownLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(new RegExp(`(?![\\n\\t])${UNSHOWN.source}`, 'gu'), ' ');
}
