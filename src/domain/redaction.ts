/**
 * Taking personal data and secrets out of a text before more people get to see it: e-mail addresses, telephone numbers, card
 * numbers, keys, tokens and passwords. Pure. Every pattern is bounded, so that the time grows with the text and no faster,
 * whatever the text is. It finds what looks like such data; it cannot know what a sentence means.
 */

import { cardSpans, phoneSpans, type Span } from './redaction-numbers.ts';
import { secretSpans } from './redaction-secrets.ts';

export const REDACTED = ['email', 'phone', 'card', 'secret'] as const;
export type Redacted = (typeof REDACTED)[number];

export type RedactionCounts = { readonly [What in Redacted]?: number };

export interface Redaction {
  readonly text: string;
  /** How many of what were taken out; nothing of what there was none of. */
  readonly counts: RedactionCounts;
}

/** Names of fields whose values are secrets, whatever they look like. */
const SECRET_FIELD =
  /^(?:.{0,60}[_.\- ])?(?:password|passwd|passphrase|pwd|secret|token|api[_.\- ]?key|private[_.\- ]?key|credentials?)$/i;

/** An address: what stands before the @ and a domain with a dot, in any script. */
const EMAIL = /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/gu;

/** What was glued to something that is gone now stands free, and is found the next time; seldom more than once. */
const MAX_PASSES = 5;

/** Each is replaced by its kind in brackets. What was redacted before stays as it is. */
export function redact(text: string): Redaction {
  let result: Redaction = { text, counts: {} };
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = redactOnce(result.text);
    if (next.text === result.text) break;
    result = { text: next.text, counts: sumOfCounts([result.counts, next.counts]) };
  }
  return result;
}

/** In the order of the finders: a key may hold what looks like a number, a card number what looks like one of a telephone. */
function redactOnce(text: string): Redaction {
  const counts: { [What in Redacted]?: number } = {};
  let current = text;
  for (const [what, find] of FINDERS) {
    const spans = find(current);
    if (spans.length === 0) continue;
    counts[what] = spans.length;
    current = replaced(current, spans, `[${what}]`);
  }
  return { text: current, counts };
}

const FINDERS: readonly (readonly [Redacted, (text: string) => readonly Span[]])[] = [
  ['secret', secretSpans],
  ['email', emailSpans],
  ['card', cardSpans],
  ['phone', phoneSpans],
];

function emailSpans(text: string): Span[] {
  if (!text.includes('@')) return [];
  return [...text.matchAll(EMAIL)].map(({ index, 0: { length } }) => [index, index + length]);
}

/** The spans come in order and do not overlap. */
function replaced(text: string, spans: readonly Span[], by: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    parts.push(text.slice(at, from), by);
    at = to;
  }
  return parts.join('') + text.slice(at);
}

export interface RedactedValue<T> {
  readonly value: T;
  readonly counts: RedactionCounts;
}

/** The same for every text within a JSON value, names of fields included; what a field called "password" holds goes whole. */
export function redactWithin<T>(value: T): RedactedValue<T> {
  const counts: { [What in Redacted]?: number } = {};
  const clean = (text: string): string => {
    const redaction = redact(text);
    addTo(counts, redaction.counts);
    return redaction.text;
  };
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') return clean(inner);
    if (Array.isArray(inner)) return inner.map(walk);
    if (inner === null || typeof inner !== 'object') return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, held]) => [clean(name), walkField(name, held)]));
  };
  const walkField = (name: string, held: unknown): unknown => {
    const isSecret = SECRET_FIELD.test(name) && held !== null && held !== '' && held !== SECRET;
    if (!isSecret) return walk(held);
    addTo(counts, { secret: 1 });
    return SECRET;
  };
  return { value: walk(value) as T, counts };
}

const SECRET = '[secret]';

function addTo(counts: { [What in Redacted]?: number }, more: RedactionCounts): void {
  for (const what of REDACTED) {
    const sum = (counts[what] ?? 0) + (more[what] ?? 0);
    if (sum > 0) counts[what] = sum;
  }
}

/** All of them together. */
export function sumOfCounts(all: readonly RedactionCounts[]): RedactionCounts {
  const sum: { [What in Redacted]?: number } = {};
  for (const counts of all) addTo(sum, counts);
  return sum;
}
