/** Whether a text reads like instructions to a model. By readable rules, not by a model that could be persuaded. Pure. */

import type { Suspicion } from '../../domain/suspicion.ts';
import { hasMarks } from '../turn/as-data.ts';
import { readerView } from '../turn/reader-view.ts';
import { PATTERNS } from './suspicious-patterns.ts';

/** Tags that belong to no flag; overrides of direction; runs of what has no width, or of selectors of a variant. */
const HIDDEN =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0001}-\u{e007f}]|[\u202d\u202e]|[\u200b-\u200f\u2060-\u2064\ufeff]{3}|(?:[a-z][\u200b\u2060\ufeff]){3}|[\ufe00-\ufe0f]{3}|[\u{e0100}-\u{e01ef}]{2}/iu;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const HEX = /(?:[0-9a-f]{2}[ :]?){16,}/gi;
const ESCAPED = /(?:%[0-9a-f]{2}|&#x?[0-9a-f]{2,6};|\\u[0-9a-f]{4}|\\x[0-9a-f]{2})/i;
const SPACED = /(?<![\p{L}])(?:\p{L}[ ._*-]){4,200}\p{L}(?![\p{L}])/gu;

/** What is looked through of each blob, and how many of them. */
const MAX_BLOB = 20_000;
const MAX_BLOBS = 20;

/** In the order of the reasons; none for what only tells something. */
export function suspicionsIn(text: string): Suspicion[] {
  const found = new Set(plainSuspicions(text));
  if (HIDDEN.test(text)) found.add('hidden');
  const isEncoded = decodings(text).some((decoded) => plainSuspicions(decoded).length > 0) || isTurned(text);
  if (isEncoded) found.add('encoded');
  return [...found];
}

function plainSuspicions(text: string): Suspicion[] {
  const seen = text.replace(INVISIBLE, '');
  const views = [...new Set([readerView(seen).text, seen.normalize('NFKC').toLowerCase()])];
  const spaced = views.map((view) => view.replace(SPACED, (run) => run.replaceAll(/[ ._*-]/g, '')));
  const all = [...new Set([...views, ...spaced])];
  const families = Object.entries(PATTERNS) as [Suspicion, readonly RegExp[]][];
  const found = families
    .filter(([, patterns]) => all.some((view) => patterns.some((pattern) => pattern.test(view))))
    .map(([suspicion]) => suspicion);
  return hasMarks(seen) && !found.includes('role') ? [...found, 'role'] : found;
}

/** Whether it sets instructions aside when read backwards, or with each letter moved by thirteen. */
function isTurned(text: string): boolean {
  const plain = text.toLowerCase();
  const views = [rotated(plain), [...plain].toReversed().join('')];
  return views.some((view) => PATTERNS.override?.some((pattern) => pattern.test(view)));
}

/** The decoded text. */
function decodings(text: string): string[] {
  const blobs = [...text.matchAll(BASE64)].slice(0, MAX_BLOBS).map(([blob]) => fromBytes(blob, 'base64'));
  const digits = [...text.matchAll(HEX)]
    .slice(0, MAX_BLOBS)
    .map(([blob]) => fromBytes(blob.replaceAll(/[ :]/g, ''), 'hex'));
  const tags = tagged(text);
  return [
    ...[...blobs, ...digits].filter((decoded) => decoded !== undefined),
    ...(ESCAPED.test(text) ? [unescaped(text)] : []),
    ...(tags === '' ? [] : [tags]),
  ];
}

/** Undefined where it is no text. */
function fromBytes(blob: string, encoding: 'base64' | 'hex'): string | undefined {
  const decoded = Buffer.from(blob.slice(0, MAX_BLOB), encoding).toString('utf8');
  const unreadable = decoded.match(/[\p{Cc}\ufffd]/gu)?.length ?? 0;
  return decoded.length > 8 && unreadable / decoded.length < 0.1 ? decoded : undefined;
}

function unescaped(text: string): string {
  return text
    .replaceAll(/%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{2,6});/gi, (_all, ...codes: unknown[]) =>
      characterOf(Number.parseInt(String(codes.find((code) => typeof code === 'string')), 16)),
    )
    .replaceAll(/&#(\d{2,6});/g, (_all, code: string) => characterOf(Number(code)));
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
}

/** What is written in invisible tag characters. */
function tagged(text: string): string {
  return [...text.matchAll(/[\u{e0020}-\u{e007e}]/gu)]
    .map(([tag]) => characterOf((tag.codePointAt(0) ?? 0xe0020) - 0xe0000))
    .join('');
}

function rotated(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(((letter.charCodeAt(0) - 84) % 26) + 97));
}
