/** The passage of a text in which most of a query's words stand, with these words marked. Pure. */

import { queryTerms } from '../text/lexemes.ts';
import { matchesIn, type Match } from '../text/matches.ts';

const MAX_LENGTH = 240;
/** Of a word that is cut off at the edge of a passage. */
const ELLIPSIS = '…';

/** As `…a **word** of it…`; undefined where no word of the query stands there as such. */
export function highlight(content: string, query: string): string | undefined {
  const terms = new Set(queryTerms(query));
  const hits = matchesIn(content, terms);
  const [first] = hits;
  if (first === undefined) return undefined;
  const start = bestStart(hits);
  const window = hits.filter((hit) => hit.start >= start && hit.end <= start + MAX_LENGTH);
  return excerpt(content, start, window);
}

/** Where a passage begins that has the most different words; the first of several. */
function bestStart(hits: readonly Match[]): number {
  let [best, most, last] = [0, 0, 0];
  hits.forEach(({ start }, at) => {
    while (last < hits.length && (hits[last]?.end ?? 0) <= start + MAX_LENGTH) last += 1;
    const different = new Set(hits.slice(at, last).map(({ lexeme }) => lexeme)).size;
    if (different > most) [best, most] = [start, different];
  });
  return best;
}

/** A little of what stands before, whole words only, and each hit between asterisks. */
function excerpt(content: string, first: number, hits: readonly Match[]): string {
  const lastEnd = hits.at(-1)?.end ?? first;
  const room = Math.max(0, MAX_LENGTH - (lastEnd - first));
  const from = edge(content, Math.max(0, first - Math.floor(room / 2)), -1);
  const to = edge(content, Math.min(content.length, lastEnd + Math.ceil(room / 2)), 1);
  let [text, at] = ['', from];
  for (const { start, end } of hits) {
    text += `${content.slice(at, start)}**${content.slice(start, end)}**`;
    at = end;
  }
  text += content.slice(at, to);
  const clean = text.replace(/\s+/gu, ' ').trim();
  return `${from > 0 ? ELLIPSIS : ''}${clean}${to < content.length ? ELLIPSIS : ''}`;
}

/** Moves inwards to the next gap between words, unless there is none near. */
function edge(content: string, at: number, direction: 1 | -1): number {
  if (at <= 0 || at >= content.length) return at;
  for (let step = 0; step < 30; step += 1) {
    const place = at - direction * step;
    if (/\s/u.test(content.charAt(place))) return place;
  }
  return at;
}
