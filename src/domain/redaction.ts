/**
 * Removing personal data and secrets from a text before more people see it: e-mail addresses, telephone numbers, card
 * numbers, keys, tokens and passwords. Pure. Every pattern is bounded, so that the time is linear in the length of any
 * text. It finds what looks like such data; it cannot know what a sentence means.
 */

import { kindOfName, type NamedKind } from './redaction-names.ts';
import { cardSpans, isCard, phoneSpans } from './redaction-numbers.ts';
import { secretSpans } from './redaction-secrets.ts';
import { plainView } from './redaction-view.ts';
import type { Span } from './text-view.ts';

export const REDACTED = ['email', 'phone', 'card', 'secret'] as const;
export type Redacted = (typeof REDACTED)[number];

export type RedactionCounts = { readonly [What in Redacted]?: number };

export interface Redaction {
  readonly text: string;
  /** How many of each type were removed; only types that occurred. */
  readonly counts: RedactionCounts;
}

/** An address: a local part (perhaps as in a link, or quoted) and a domain with a dot, in any script. */
const EMAIL = /(?:[\p{L}\p{N}._%+'-]{1,64}|"[^"\n@]{1,62}")(?:@|%40|&#64;)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/gu;

/** What was adjacent to a removed span is found in the next pass; seldom more than one is needed. */
const MAX_PASSES = 5;

/** Each is replaced by its type in brackets. Earlier redactions stay as they are. */
export function redact(text: string): Redaction {
  let result: Redaction = { text, counts: {} };
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = redactOnce(result.text);
    if (next.text === result.text) break;
    result = { text: next.text, counts: sumOfCounts([result.counts, next.counts]) };
  }
  return result;
}

/**
 * In the order of the finders: a key may contain what looks like a number, and a card number what looks like a telephone
 * number.
 */
function redactOnce(text: string): Redaction {
  const counts: { [What in Redacted]?: number } = {};
  let current = text;
  for (const [what, find] of FINDERS) {
    const view = plainView(current);
    const spans = find(view.text).map(view.written);
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
  if (!/@|%40|&#64;/.test(text)) return [];
  return [...text.matchAll(EMAIL)]
    .map(({ index, 0: { length } }): Span => [index, index + length])
    .filter(([from, to]) => !isRepository(text.slice(from, to), text[to]));
}

/** git@github.com:acme/repo.git is nobody's address. */
function isRepository(address: string, next: string | undefined): boolean {
  return address.startsWith('git@') && (next === ':' || next === '/');
}

/** The spans come in order and do not overlap. */
function replaced(text: string, spans: readonly Span[], by: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    parts.push(text.slice(at, Math.max(at, from)), by);
    at = to;
  }
  return parts.join('') + text.slice(at);
}

export interface RedactedValue<T> {
  readonly value: T;
  readonly counts: RedactionCounts;
}

/**
 * The same for every text and every number within a JSON value, names of fields included. The value of a field called
 * "password" is removed whole, and for a field called "phone" or "card" the name is enough evidence.
 */
export function redactWithin<T>(value: T): RedactedValue<T> {
  const counts: { [What in Redacted]?: number } = {};
  const clean = (text: string): string => {
    const redaction = redact(text);
    addTo(counts, redaction.counts);
    return redaction.text;
  };
  const walk = (inner: unknown, kind?: NamedKind): unknown => {
    const what = whatIsHeld(inner, kind);
    if (what !== undefined) {
      addTo(counts, { [what]: 1 });
      return `[${what}]`;
    }
    if (typeof inner === 'string') return clean(inner);
    if (Array.isArray(inner)) return inner.map((each) => walk(each, kind));
    if (inner === null || typeof inner !== 'object') return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, held]) => [clean(name), walk(held, kindOfName(name))]));
  };
  return { value: walk(value) as T, counts };
}

/** The type of a whole value, by the name of its field or as a number; undefined if its text must be examined. */
function whatIsHeld(held: unknown, kind: NamedKind | undefined): Redacted | undefined {
  if (held === null || held === '' || typeof held === 'boolean' || PLACEHOLDERS.has(held)) return undefined;
  if (kind === 'password') return 'secret';
  // { token: 7, pass: 12 } counts something.
  if (kind === 'secret') return typeof held === 'number' && held < MIN_SECRET_NUMBER ? undefined : 'secret';
  if (typeof held !== 'string' && typeof held !== 'number') return undefined;
  const digits = plainView(String(held)).text.replaceAll(/[ ()./+_-]/g, '');
  if (kind === 'digits' && /^\d{3,9}$/.test(digits)) return 'secret';
  if (kind === 'card' && /^\d{12,19}$/.test(digits)) return 'card';
  if (kind === 'phone' && /^\d{6,15}$/.test(digits)) return 'phone';
  return typeof held === 'number' && isCard(digits) ? 'card' : undefined;
}

const MIN_SECRET_NUMBER = 100_000;
const PLACEHOLDERS: ReadonlySet<unknown> = new Set(REDACTED.map((what) => `[${what}]`));

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
