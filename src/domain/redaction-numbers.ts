/** Finding card and telephone numbers. Pure; see `redaction.ts`. */

import type { Span } from './text-view.ts';

/** As cards print them: in fours, in 4-6-5 or 4-6-4, or unbroken. Matched at every position, so that they may overlap. */
const CARD =
  /(?<!\d|\d[.,])(?=(?<number>\d{4}(?:(?: {1,2}|[-._/])\d{4}){3}(?:(?: {1,2}|[-._/])\d{1,3})?(?!\d)|\d{4}(?: {1,2}|[-._/])\d{6}(?: {1,2}|[-._/])\d{4,5}(?!\d)|\d{13,19}(?!\d)))/g;
const FOUR_FOURS = /^\d{4}(?:\D{1,2}\d{4}){3}/;

/** Card numbers: 13 to 19 digits with the prefix of a card and a valid check digit (Luhn). */
export function cardSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index, groups } of text.matchAll(CARD)) {
    const number = groups?.['number'] ?? '';
    if (index < (spans.at(-1)?.[1] ?? 0)) continue;
    // Another number may follow, such as the security code of the card.
    const found = [number, FOUR_FOURS.exec(number)?.[0] ?? ''].find((part) => isCard(part.replaceAll(/\D/g, '')));
    if (found === undefined || isWithinCode(text, index, index + found.length)) continue;
    spans.push([index, index + found.length]);
  }
  return spans;
}

/** Adjacent to a word it is still a card number; adjacent to letters and digits it is part of a hash or an identifier. */
function isWithinCode(text: string, from: number, to: number): boolean {
  const before = /[\p{L}\p{N}]{0,32}$/u.exec(text.slice(Math.max(0, from - 32), from))?.[0] ?? '';
  const after = /^[\p{L}\p{N}]{0,32}/u.exec(text.slice(to, to + 32))?.[0] ?? '';
  return /\p{N}/u.test(before + after);
}

/** Digits alone. */
export function isCard(digits: string): boolean {
  if (!/^(?:2[2-7]|3[04-9]|4\d|5[0-8]|6\d)\d{11,17}$/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.at(-1 - place));
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const MAX_PHONE_DIGITS = 15;
const MAX_PHONE_GROUPS = 10;
const CONTEXT = 48;

/** Digits as telephone numbers are written. */
const NUMBER = /(?<![\p{L}\p{N}_])(?:\+|\()?\d[\d ()./-]{4,28}\d(?!(?!e?xt?\.? ?\d)[\p{L}\p{N}_]|[.:-]\d)/gu;

/** What may precede one: a label, a request to call it, or the label of some other number. */
const NAMED =
  /(?<![\p{L}\p{N}])(?:tel|telephone|phone|mobile|cell|fax|whatsapp|telefon|telefonnummer|rufnummer|handy|mobil|téléphone|teléfono|telefono)(?:[ _-]?(?:number|nummer|no|nr))?["']?[.:= ]{0,4}(?:(?:is|ist|me at|at|under)[: ]{1,2})?["']?$/iu;
const CALLED = /(?<![\p{L}\p{N}])(?:call|ring|text|sms)(?: (?:me|us|him|her|them))?(?: (?:at|on|under))?:? {1,2}$/iu;
const OTHER_THING =
  /(?<![\p{L}\p{N}])(?:order|invoice|part|item|sku|hash|sha|commit|id|isbn|issn|ean|version|build|ticket|tracking|account|ref|reference|case|serial|model|article|product|bestellung|rechnung|auftrag|artikel|range|score|scores)(?:[ _-]?(?:number|nummer|no|nr|id)\b)?[.:=# ]{0,3}$/iu;

/** 03-04-2026, 2026-03-04 10:30, 12.30: these begin a time; 2000-2001 are years. */
const DATE =
  /^(?:(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:\D|$)|(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d$)/;

/** 555-123-4567, (555) 123 4567, 1-800-555-0199 and the like; no area code begins with 0 or 1. */
const NORTH_AMERICAN = /^(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])\d{3}[-. ]\d{4}$/;

type Said = 'named' | 'called' | 'other' | undefined;

/**
 * Those with a country code (+ or 00), with a trunk zero, in the North American format, and any with a label. A bare number
 * may be anything and stays.
 */
export function phoneSpans(text: string): Span[] {
  return [...text.matchAll(NUMBER)].flatMap(({ index, 0: run }) => {
    const said = saidBefore(text.slice(Math.max(0, index - CONTEXT), index));
    const isGlued = said !== 'named' && /[.:/-]/.test(text[index - 1] ?? '');
    const found = within(run, (part, isFirst) => !(isFirst && (isGlued || said === 'other')) && isPhone(part, said));
    return found.map(([from, to]): Span => [index + from, index + to]);
  });
}

function saidBefore(context: string): Said {
  if (NAMED.test(context)) return 'named';
  if (CALLED.test(context)) return 'called';
  return OTHER_THING.test(context) ? 'other' : undefined;
}

/** The parts of a run that are telephone numbers, each made of whole groups; from the left, the longest first. */
function within(run: string, isOne: (part: string, isFirst: boolean) => boolean): Span[] {
  const groups = [...run.matchAll(/[^ ]+/g)].map(({ index, 0: { length } }): Span => [index, index + length]);
  const spans: Span[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const from = groups[first]?.[0] ?? 0;
    for (let last = Math.min(groups.length, first + MAX_PHONE_GROUPS) - 1; last >= first; last -= 1) {
      const to = groups[last]?.[1] ?? 0;
      if (!isOne(run.slice(from, to), first === 0)) continue;
      spans.push([from, to]);
      first = last;
      break;
    }
  }
  return spans;
}

function isPhone(number: string, said: Said): boolean {
  const digits = number.replaceAll(/\D/g, '');
  const { length } = digits;
  if (length > MAX_PHONE_DIGITS || /0{5}$|^[01]*$/.test(digits) || DATE.test(number) || isCounting(number))
    return false;
  if (said === 'named') return length >= 6;
  if (number.startsWith('+')) return isInternational(digits);
  if (NORTH_AMERICAN.test(number)) return true;
  // "Call 1234567 times": seven unbroken digits may be an amount.
  if (said === 'called' && length >= (/^\d+$/.test(number) ? 10 : 7)) return true;
  if (number.startsWith('00')) return isInternational(digits.slice(2));
  return /^\(?0[1-9]\d*/.test(number) && length >= 9 && length <= 12;
}

/** +1 is followed by ten digits, the first neither 0 nor 1. */
function isInternational(digits: string): boolean {
  return digits.startsWith('1') ? /^1[2-9]\d{9}$/.test(digits) : /^[2-9]\d{7,14}$/.test(digits);
}

/** 01 02 03 04 05: each one more than the one before. */
function isCounting(number: string): boolean {
  const groups = number.split(/\D+/);
  return groups.length > 3 && groups.every((group, at) => at === 0 || Number(group) === Number(groups[at - 1]) + 1);
}
