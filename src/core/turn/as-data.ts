/** Recalled text as a part of one line of a prompt, from which it cannot break out. Pure. */

import type { Span, TextView } from '../../domain/text-view.ts';
import { readerView } from './reader-view.ts';
import { readsLikeChatMark, readsLikeHeading } from './reads-like-mark.ts';

/** Line breaks of every kind, other control characters, and spaces of every width. */
const GAPS = /[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu;

/**
 * What cannot be seen: zero-width characters, marks of direction, tags. Text hides in them from people, not from models. The
 * joiners stay, without which some scripts and emoji fall apart, and so do the selectors of a variant.
 */
const INVISIBLE = /(?!\p{Join_Control}|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** Nested marks: harmless text never nests deeper. */
const MAX_DEPTH = 8;

/** Of one line, without anything that reads like a heading of the frame or like a mark of a chat template. */
export function asData(text: string): string {
  let safe = text.toWellFormed().replace(INVISIBLE, '').replace(GAPS, ' ').trim();
  // Brackets become parentheses, which no mark is made of: each time there are fewer left.
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const view = readerView(safe);
    const changes = changesOf(view, safe);
    if (changes.length === 0) return safe;
    safe = changed(safe, depth < MAX_DEPTH ? changes : everyBracket(view));
  }
  return safe;
}

/** Whether it holds something that reads like a heading of the frame or like a mark of a chat template. */
export function hasMarks(text: string): boolean {
  return changesOf(readerView(text), text).length > 0;
}

/** A piece of the text as written, and what stands there instead. */
interface Change {
  readonly span: Span;
  readonly by: '(' | ')';
}

/** What stands after a bracket, up to the next one: none is looked at twice, so that the time grows with the length. */
const PHRASE = /([\[<]+)([^\[\]<>]*)([\]>]*)/gv;
const ANGLES = /<[^<>]*>/gv;
const BRACKET = /[\[\]<>]/gv;

function changesOf(view: TextView, text: string): Change[] {
  const marks = [...view.text.matchAll(PHRASE)].filter(([, open = '', phrase = '', close = '']) => {
    const isPair = close !== '' && (open.at(-1) === '[') === close.startsWith(']');
    return (
      readsLikeHeading(phrase, close !== '') || (isPair && readsLikeChatMark(phrase, open.endsWith('[') ? '[' : '<'))
    );
  });
  const hasEnd = marks.some(([, , phrase = '']) => /^\s?\//.test(phrase));
  // The bars of a mark go with its brackets, and are looked for first.
  return [
    ...[...view.text.matchAll(ANGLES)].flatMap((angles) => barsOf(view, angles)),
    ...marks.filter((mark) => hasEnd || !isTypeArgument(view, text, mark)).flatMap((mark) => pairsOf(view, mark)),
  ];
}

/** `Array<User>` and not `<User> … </User>`: directly behind a name, and written as names of types are. */
function isTypeArgument({ written }: TextView, text: string, { 1: open, index }: RegExpExecArray): boolean {
  const [at] = written([index, index + 1]);
  return open === '<' && /^[\w$]<[A-Z][a-z]/.test(text.slice(Math.max(0, at - 1), at + 3));
}

/** Of the brackets on both sides as many as there are on each. */
function pairsOf(
  { written }: TextView,
  { 1: open = '', 2: phrase = '', 3: close = '', index }: RegExpExecArray,
): Change[] {
  const begins = index + open.length;
  const ends = begins + phrase.length;
  const pairs = Math.min(open.length, Math.max(1, close.length));
  return Array.from({ length: pairs }, (_, nth): Change[] => [
    { span: written([begins - nth - 1, begins - nth]), by: '(' },
    ...(nth < close.length ? [{ span: written([ends + nth, ends + nth + 1]), by: ')' } as const] : []),
  ]).flat();
}

/** `<|im_start|>`, `<｜User｜>`: something between bars, as in ChatML, Llama and DeepSeek. */
function barsOf({ written }: TextView, { 0: mark, index }: RegExpExecArray): Change[] {
  const isEdge = (at: number): boolean => /[\s|]/.test(mark[at] ?? '');
  let from = 1;
  while (isEdge(from)) from += 1;
  let to = mark.length - 1;
  while (to > from && isEdge(to - 1)) to -= 1;
  const isBarred = to > from && mark.slice(0, from).includes('|') && mark.slice(to).includes('|');
  if (!isBarred) return [];
  return [
    { span: written([index, index + from]), by: '(' },
    { span: written([index + to, index + mark.length]), by: ')' },
  ];
}

function everyBracket({ text, written }: TextView): Change[] {
  return [...text.matchAll(BRACKET)].map(({ 0: bracket, index }) => ({
    span: written([index, index + 1]),
    by: bracket === '[' || bracket === '<' ? '(' : ')',
  }));
}

function changed(text: string, changes: readonly Change[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, by } of changes.toSorted((a, b) => a.span[0] - b.span[0])) {
    const [from, to] = span;
    // Two marks may share a bracket.
    if (from < at) continue;
    parts.push(text.slice(at, from), by);
    at = to;
  }
  return parts.join('') + text.slice(at);
}
