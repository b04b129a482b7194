/** Finding numbers that belong to somebody: of cards and of telephones. Pure; see `redaction.ts`. */

/** From here up to there, in code units. */
export type Span = readonly [from: number, to: number];

const MIN_CARD_DIGITS = 13;
const MAX_CARD_DIGITS = 19;

/** Digits with single spaces or hyphens in between, not within a word or a longer number. */
const DIGIT_GROUPS = /(?<![\p{L}\p{N}_.])\d{1,32}(?:[ -]\d{1,32}){0,64}(?![\p{L}_])/gu;

/** Card numbers: 13 to 19 digits that begin as those of cards do and whose check digit is right (Luhn). */
export function cardSpans(text: string): Span[] {
  return [...text.matchAll(DIGIT_GROUPS)].flatMap(({ index, 0: run }) => cardsIn(run, index));
}

/** A number may be followed by others: the longest that is one counts, from the first group that begins one. */
function cardsIn(run: string, offset: number): Span[] {
  return within(run, /\d+/g, MAX_CARD_DIGITS, (part) => isCard(part.replaceAll(/\D/g, ''))).map(([from, to]) => [
    offset + from,
    offset + to,
  ]);
}

/** The parts of a run that are what is looked for, each made of whole groups; the longest, from the first that is one. */
function within(run: string, group: RegExp, maxGroups: number, isOne: (part: string) => boolean): Span[] {
  const groups = [...run.matchAll(group)].map(({ index, 0: { length } }): Span => [index, index + length]);
  const spans: Span[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const from = groups[first]?.[0] ?? 0;
    for (let last = Math.min(groups.length, first + maxGroups) - 1; last >= first; last -= 1) {
      const to = groups[last]?.[1] ?? 0;
      if (!isOne(run.slice(from, to))) continue;
      spans.push([from, to]);
      first = last;
      break;
    }
  }
  return spans;
}

function isCard(digits: string): boolean {
  if (digits.length < MIN_CARD_DIGITS || digits.length > MAX_CARD_DIGITS || !/^[2-6]/.test(digits)) return false;
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

/** Digits as telephone numbers are written, perhaps after a word that says that it is one. */
const PHONE =
  /(?<![\p{L}\p{N}_.:/-])(?<word>(?:tel|telephone|phone|mobile|cell|fax|whatsapp|call)\b[.:]{0,2} {0,2}(?:(?:is|me at|at|no\.?|number(?: is)?):? )?)?(?<number>(?:\+|\()?\d[\d ()./-]{4,28}\d)(?![\p{L}\p{N}_]|[.:-]\d)/giu;

/** 03-04-2026, 2026-03-04 10:30, 12.30: what begins so is a time. */
const DATE = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})(?:\D|$)/;

/** 555-123-4567, (555) 123 4567 and the like. */
const NORTH_AMERICAN = /^(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}$/;

/**
 * Those with a country code (+ or 00), those that begin with a trunk zero, those as North America writes them, and any that
 * are called so. A number alone, without any of this, may be anything and stays.
 */
export function phoneSpans(text: string): Span[] {
  return [...text.matchAll(PHONE)].flatMap(({ index, 0: { length }, groups }): Span[] => {
    const { number = '', word } = groups ?? {};
    const start = index + length - number.length;
    const found = within(number, /[^ ]+/g, MAX_PHONE_GROUPS, (part) => isPhone(part, word !== undefined));
    return found.map(([from, to]) => [start + from, start + to]);
  });
}

function isPhone(number: string, isCalledSo: boolean): boolean {
  const { length } = number.replaceAll(/\D/g, '');
  if (length > MAX_PHONE_DIGITS || DATE.test(number)) return false;
  if (isCalledSo) return length >= 6;
  if (number.startsWith('+')) return length >= 8;
  if (NORTH_AMERICAN.test(number)) return true;
  return /^\(?0/.test(number) && length >= 9 && (number.startsWith('00') || length <= 12);
}
