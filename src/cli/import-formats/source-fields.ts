/** Fields of records whose form nobody promises: what is there is taken, what is not is undefined. Pure. */

import { hasText } from '../../domain/has-text.ts';

export type SourceRecord = Readonly<Record<string, unknown>>;

/** Numbers above are milliseconds: as seconds they would lie in the year 5138. */
const MOST_SECONDS = 1e11;

const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;
const SHORT_ZONE = /[+-]\d{2}$/;

export function isRecord(value: unknown): value is SourceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty where it is none. */
export function recordIn(record: SourceRecord, key: string): SourceRecord {
  const value = record[key];
  return isRecord(value) ? value : {};
}

/** The first of the fields that says something. */
export function textIn(record: SourceRecord, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = record[key];
    if (typeof value === 'string' && hasText(value)) return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  }
  return undefined;
}

/** Empty where there is none. */
export function listIn(record: SourceRecord, key: string): readonly unknown[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

/** Of the things in a list those that are records. */
export function recordsIn(record: SourceRecord, key: string): SourceRecord[] {
  return listIn(record, key).filter(isRecord);
}

/** The first of the fields that is a time: ISO 8601, as PostgreSQL writes it, or seconds or milliseconds since 1970. */
export function timeIn(record: SourceRecord, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const time = timeOf(record[key]);
    if (time !== undefined) return time;
  }
  return undefined;
}

function timeOf(value: unknown): string | undefined {
  const at = typeof value === 'number' ? (value > MOST_SECONDS ? value : value * 1000) : momentOf(value);
  // Nobody had a memory for machines before 1970, but many a default is 0.
  return Number.isFinite(at) && at > 0 && at <= LAST_MOMENT ? new Date(Math.round(at)).toISOString() : undefined;
}

/** Without a zone it is UTC: the same on every machine. */
function momentOf(value: unknown): number {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return Number.NaN;
  const text = value.trim();
  if (ZONELESS.test(text)) return Date.parse(`${text.replace(' ', 'T')}Z`);
  return Date.parse((SHORT_ZONE.test(text) && text.length > 10 ? `${text}:00` : text).replace(' ', 'T'));
}

/** What is left of a record without some of its fields, and without those that say nothing. */
export function restOf(record: SourceRecord, known: ReadonlySet<string>): Record<string, unknown> {
  const isSaid = (value: unknown): boolean =>
    value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => !known.has(key) && isSaid(value)));
}
