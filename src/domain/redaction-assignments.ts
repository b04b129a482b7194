/** Finding what is assigned to the name of a secret: `password=…`, `"apiKey": "…"`, `DB_PASSWORD: …`. Pure. */

import { kindOfName, type NamedKind } from './redaction-names.ts';
import type { Span } from './text-view.ts';

/** The maximum length of a name and of a value; they bound every match. */
const MAX_NAME = 64;
const MAX_VALUE = 512;

/** The end of a quoted name, and the separator between a name and its value. */
const OPERATOR = /["'`*\\]{0,3}[ \t]{0,4}(?:::|:=|[-=]>|={1,2}|:(?!\/\/))\*{0,2}[ \t]{0,8}/g;

const QUOTED = /(?<quote>["'`])(?<value>(?:(?!\k<quote>)[^\\]|\\[^]){1,1024})\k<quote>/y;
/** JSON within JSON. */
const QUOTED_TWICE = /\\(?<quote>["'])(?<value>[^\\]{1,1024})\\\k<quote>/y;
/** YAML: the lines that are indented. */
const BLOCK =
  /[|>][-+\d]{0,2}[ \t]{0,8}\r?\n[ \t]{1,64}(?<value>\S[^\n]{0,1024}(?:\n[ \t]{1,64}\S[^\n]{0,1024}){0,64})/y;
const NEXT_LINE = /\r?\n[ \t]{0,64}(?<value>\S{1,512})(?=[ \t]{0,64}(?:\r?\n|$))/y;

/** Where a value without quotes ends: before the next assignment, at the end of a sentence, or with the quotes around both. */
const END =
  /[,;&](?=\s|$|[\w.-]{1,40}["']?[=:])|\s+(?=["']?[\w.-]{1,40}["']? ?[=:])|[.!?](?=\s+\p{Lu})|["'`](?=[\s,;)}\]]|$)|[\r\n]/u;

/** Words that begin a description, not a password. */
const DESCRIBING = new Set(
  `a an any ask at await boolean bytes changed empty encrypted expired false hashed hidden in int integer invalid is ist
  it min minimum missing must n/a never new nil no none not null number object optional placeholder redacted required
  reset see set should siehe stored str string text the true type undefined unknown unset use varchar void wrong yes`.split(
    /\s+/,
  ),
);
/** Words that may begin a passphrase. */
const ARTICLES = new Set('a an any the it in new no'.split(' '));

const PLACEHOLDER = /^["'`(]*\[(?:email|phone|card|secret)\]/;
const ADDRESS = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;

/** In order, without overlaps. */
export function assignedSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: operator } of text.matchAll(OPERATOR)) {
    if (index < (spans.at(-1)?.[1] ?? 0)) continue;
    const kind = kindOfName(nameBefore(text, index));
    if (kind === undefined || kind === 'phone' || kind === 'card') continue;
    const span = valueAt(text, index + operator.length, kind, operator.includes('='));
    if (span !== undefined) spans.push(span);
  }
  return spans;
}

function nameBefore(text: string, end: number): string {
  let from = end;
  while (from > 0 && end - from < MAX_NAME && /[\p{L}\p{N}_.\- ]/u.test(text[from - 1] ?? '')) from -= 1;
  return text.slice(from, end);
}

function valueAt(text: string, at: number, kind: NamedKind, isSet: boolean): Span | undefined {
  for (const pattern of [QUOTED, QUOTED_TWICE, BLOCK]) {
    const span = groupAt(pattern, text, at);
    if (span === undefined) continue;
    const value = text.slice(...span);
    return PLACEHOLDER.test(value) || (kind === 'digits' && !isDigits(value)) ? undefined : span;
  }
  if (text[at] === '\n' || text[at] === '\r') return valueOfNextLine(text, at, kind);
  const isCutShort = /["'`]/.test(text[at] ?? '');
  return bareValue(text, isCutShort ? at + 1 : at, kind, isSet);
}

/** The span of the group `value` if the pattern matches here; it ends the match, except for a closing character. */
function groupAt(pattern: RegExp, text: string, at: number): Span | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const value = match?.groups?.['value'];
  if (match === null || value === undefined) return undefined;
  const from = at + match[0].lastIndexOf(value);
  return [from, from + value.length];
}

/** A single word on its own line. */
function valueOfNextLine(text: string, at: number, kind: NamedKind): Span | undefined {
  const span = groupAt(NEXT_LINE, text, at);
  if (span === undefined) return undefined;
  const value = text.slice(...span);
  if (value.endsWith(':') || !/[\p{L}\p{N}]/u.test(value) || stays(value, value, kind)) return undefined;
  return kind === 'secret' && isWord(value) ? undefined : span;
}

function bareValue(text: string, at: number, kind: NamedKind, isSet: boolean): Span | undefined {
  const rest = text.slice(at, at + MAX_VALUE);
  const value = rest.slice(0, END.exec(rest)?.index ?? rest.length).trimEnd();
  const first = /^\S+/.exec(value)?.[0];
  if (first === undefined || stays(first, value, kind)) return undefined;
  // A password may be several words. A key or a token is one, and "the token: all of it" is prose.
  if (kind === 'password') return [at, at + value.length];
  if (kind === 'secret' && !isSet && first !== value && isWord(first)) return undefined;
  return [at, at + first.length];
}

/** A description of a value, not a value. */
function stays(first: string, value: string, kind: NamedKind): boolean {
  if (PLACEHOLDER.test(first) || ADDRESS.test(first) || /^[*•….-]+$/.test(first)) return true;
  if (kind === 'digits') return !isDigits(first);
  const word = first.toLowerCase().replace(/[.,;:!?)}\]]+$/, '');
  if (kind === 'password' && first !== value && ARTICLES.has(word)) return false;
  // An amount: token: 4096.
  return DESCRIBING.has(word) || (kind === 'secret' && /^[\d.,/%]{1,5}$/.test(first));
}

function isWord(text: string): boolean {
  return /^\p{L}+[.,;:!?)]*$/u.test(text);
}

/** A PIN, the security code of a card, a social security number. */
function isDigits(text: string): boolean {
  return /^(?:\d{3,9}|\d{3}-\d{2}-\d{4})[.,;:!?)]*$/.test(text);
}
