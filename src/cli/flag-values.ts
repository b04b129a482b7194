/** Values of flags that are no plain texts. Which of them make sense the operation says. */

import { usageError, type Given } from './command.ts';

/** Throws a usage error for what is no number. */
export function numberFrom(given: Given, flag: string): number | undefined {
  const text = given.value(flag);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw usageError(`--${flag} accepts a number.`, given.command);
  return value;
}

/** Throws a usage error for what is no whole number from `least` to `most`. */
export function countFrom(given: Given, flag: string, least: number, most?: number): number | undefined {
  const value = numberFrom(given, flag);
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && value >= least && (most === undefined || value <= most)) return value;
  const range = most === undefined ? `from ${least}` : `from ${least} to ${most}`;
  throw usageError(`--${flag} accepts a whole number ${range}.`, given.command);
}

/** Of words with commas between them. */
export function listFrom(given: Given, flag: string): string[] | undefined {
  return given
    .value(flag)
    ?.split(',')
    .map((part) => part.trim());
}

/** Throws a usage error for what is no JSON object. */
export function objectFrom(given: Given, flag: string, example: string): Record<string, unknown> | undefined {
  const text = given.value(flag);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw usageError(`--${flag} accepts a JSON object, such as ${example}.`, given.command);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const UNITS = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** In words that complete "it accepts …". */
const TIMES = 'a time (2026-11-15, 2026-11-15T09:30:00Z) or an age or a distance (30d, 12h, 2w)';

/** A time, or a distance from now: back, or with `ahead` forward. Throws a usage error for what is neither. */
export function timeFrom(given: Given, flag: string, direction: 'back' | 'ahead' = 'back'): string | undefined {
  const text = given.value(flag);
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})(s|min|h|d|w)$/.exec(text) ?? [];
  const length = unit === undefined ? undefined : UNITS[unit as keyof typeof UNITS] * Number(count);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) && !Number.isNaN(Date.parse(text));
  if (length !== undefined) return new Date(Date.now() + (direction === 'back' ? -length : length)).toISOString();
  if (isTime) return new Date(text).toISOString();
  throw usageError(`--${flag} accepts ${TIMES}.`, given.command);
}
