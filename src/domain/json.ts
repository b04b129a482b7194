/** What counts as JSON that Lamina accepts, and its one canonical spelling. */

import { invalidField, LaminaError } from './error.ts';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Deep enough for any real document, shallow enough that no engine's JSON parser gives up. */
export const MAX_JSON_DEPTH = 32;

function refuse(path: readonly string[], problem: string): never {
  if (path.length > 0) throw invalidField(path.join('.'), problem);
  const problems = [{ path: '', message: problem }];
  throw new LaminaError('VALIDATION_FAILED', `The input ${problem}.`, { details: { problems } });
}

function assertText(text: string, path: readonly string[]): void {
  if (text.includes('\0')) refuse(path, 'contains a NUL character');
  if (!text.isWellFormed()) refuse(path, 'contains a lone surrogate, which is not valid Unicode');
}

/**
 * Throws `VALIDATION_FAILED` unless the value is plain JSON: well-formed text without NUL, finite numbers, no
 * cycles, no `__proto__` keys, at most {@link MAX_JSON_DEPTH} deep. `undefined` object fields count as absent.
 */
export function assertJson(value: unknown, path: string[] = []): void {
  switch (typeof value) {
    case 'string':
      return assertText(value, path);
    case 'boolean':
    case 'undefined':
      return;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, 'is not a finite number');
      return;
    case 'object':
      if (value !== null) assertContainer(value, path);
      return;
    default:
      refuse(path, `is a ${typeof value}, which is not JSON`);
  }
}

function assertContainer(value: object, path: string[]): void {
  if (path.length >= MAX_JSON_DEPTH)
    refuse(path.slice(0, 3), `is nested more than ${MAX_JSON_DEPTH} levels deep, or contains itself`);
  if (value instanceof Date) refuse(path, 'is a Date; give an ISO string, such as date.toISOString()');
  if (!Array.isArray(value) && !isPlain(value)) refuse(path, 'is not a plain object or array');
  for (const key of Object.keys(value)) {
    path.push(key);
    assertText(key, path);
    if (key === '__proto__') refuse(path, 'uses a reserved key');
    assertJson((value as Record<string, unknown>)[key], path);
    path.pop();
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON with sorted keys: equal values have equal texts, whatever engine or client wrote them. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The same value with sorted keys; the same object if they already are sorted, as in most small ones. */
function sorted(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.some(isContainer) ? value.map(sorted) : value;
  if (isSortedAndFlat(value)) return value;
  const keys = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

function isSortedAndFlat(value: Readonly<Record<string, unknown>>): boolean {
  let before: string | undefined;
  for (const key of Object.keys(value)) {
    if (isContainer(value[key]) || (before !== undefined && before >= key)) return false;
    before = key;
  }
  return true;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object';
}
