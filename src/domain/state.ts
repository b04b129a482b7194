/** State: a JSON value under a key in a namespace, and the ways to change it. */

import { z } from 'zod';
import { LaminaError, versionConflict } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import { assertWithin } from './limits.ts';

/** A value with its metadata. */
export interface StateItem {
  readonly key: string;
  readonly value: Json;
  /**
   * Grows with every write of the key and never repeats: a value that was deleted and written again never has a version
   * that a client may remember, so compare-and-set cannot be fooled. It is not a count of writes.
   */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
  /** How often it was read, by readers that count. */
  readonly accessCount: number;
  readonly lastAccessedAt?: string;
}

/** The path into the value: field names, through objects only. Omitted or empty: the value itself. */
interface Within {
  readonly path?: readonly string[];
}

/** A change that an engine applies atomically, so that two writers never lose an update. */
export type Mutation =
  | ({ readonly type: 'set'; readonly value: Json } & Within)
  /** Adds to a number; a missing one counts as 0. */
  | ({ readonly type: 'increment'; readonly by: number } & Within)
  /** Adds items to the end of a list; a missing one counts as empty. */
  | ({ readonly type: 'append'; readonly items: readonly Json[] } & Within)
  /** Sets fields of an object; a missing one counts as empty. */
  | ({ readonly type: 'merge'; readonly fields: { readonly [key: string]: Json } } & Within)
  /** Removes the field at the path; throws `NOT_FOUND` if it does not exist. */
  | { readonly type: 'unset'; readonly path: readonly [string, ...string[]] }
  /** Keeps the value and renews its time to live; throws `NOT_FOUND` if there is none. */
  | { readonly type: 'keep' };

/**
 * Has a name, so that the emitted types of operations name it. Otherwise they name `Json` by its shortest way, which is
 * `index.ts`, and with it a browser would need the types of Node.
 */
export interface JsonValueSchema extends z.ZodType<Json> {}

export const jsonSchema: JsonValueSchema = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .describe('Any JSON, null included.') as JsonValueSchema;

function misfit(key: string, expected: string, value: Json): LaminaError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return refused(`The value under "${key}" is ${actual}, not ${expected}.`, `holds ${actual}, not ${expected}`);
}

function refused(sentence: string, message: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', sentence, { details: { problems: [{ path: 'key', message }] } });
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value after a mutation. Throws `VALIDATION_FAILED` if the stored value has the wrong type. Pure. */
export function mutated(key: string, current: Json | undefined, mutation: Mutation): Json {
  switch (mutation.type) {
    case 'keep':
      if (current === undefined) throw absent(key);
      return current;
    case 'unset':
      return without(key, current, mutation.path);
    default:
      return within(key, current, mutation.path ?? [], (name, inner) => changed(name, inner, mutation));
  }
}

type ValueMutation = Exclude<Mutation, { readonly type: 'keep' | 'unset' }>;

function changed(key: string, current: Json | undefined, mutation: ValueMutation): Json {
  switch (mutation.type) {
    case 'set':
      return mutation.value;
    case 'increment': {
      const base = current === undefined ? 0 : current;
      if (typeof base !== 'number') throw misfit(key, 'a number', base);
      const sum = base + mutation.by;
      // Past the largest double there is no number to store, and past 2^53 no longer one for every count.
      const isCount = Number.isInteger(base) && Number.isInteger(mutation.by);
      if (isCount ? Number.isSafeInteger(sum) : Number.isFinite(sum)) return sum;
      throw refused(`The number under "${key}" gets too large to be exact.`, 'gets too large to be exact');
    }
    case 'append': {
      const base = current === undefined ? [] : current;
      if (!Array.isArray(base)) throw misfit(key, 'a list', base);
      return [...(base as readonly Json[]), ...mutation.items];
    }
    case 'merge': {
      const base = current === undefined ? {} : current;
      if (!isObject(base)) throw misfit(key, 'an object', base);
      return { ...base, ...mutation.fields };
    }
  }
}

/** Missing objects on the path are created; anything else on the path is an error. */
function within(
  key: string,
  current: Json | undefined,
  [name, ...rest]: readonly string[],
  change: (key: string, inner: Json | undefined) => Json,
): Json {
  if (name === undefined) return change(key, current);
  const base = current === undefined ? {} : current;
  if (!isObject(base)) throw misfit(key, 'an object', base);
  return { ...base, [name]: within(`${key}.${name}`, fieldOf(base, name), rest, change) };
}

function without(key: string, current: Json | undefined, [name, ...rest]: readonly string[]): Json {
  const inner = name === undefined || current === undefined ? undefined : valueWithin(current, [name]);
  if (name === undefined || inner === undefined || !isObject(current ?? null)) throw absent(key);
  const { [name]: _gone, ...others } = current as JsonObject;
  return rest.length === 0 ? others : { ...others, [name]: without(`${key}.${name}`, inner, rest) };
}

function fieldOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value at the end of a path; undefined if there is none. */
export function valueWithin(value: Json, path: readonly string[]): Json | undefined {
  let inner: Json | undefined = value;
  for (const name of path) {
    if (inner === undefined || !isObject(inner)) return undefined;
    inner = fieldOf(inner, name);
  }
  return inner;
}

function absent(key: string): LaminaError {
  return new LaminaError('NOT_FOUND', `There is nothing under "${key}".`);
}

/** It does not name the key: retryable errors go to the log of the service, which must not name user data. */
export function contended(): LaminaError {
  return new LaminaError('UNAVAILABLE', 'Too many change this value at once. Try again.');
}

/** The value as JSON text. Throws `LIMIT_EXCEEDED` if that is more than `maxBytes` in UTF-8. */
export function serialised(value: Json, maxBytes: number): string {
  const text = JSON.stringify(value);
  // A code unit is one to three bytes: only lengths in between have to be counted.
  if (text.length * 3 > maxBytes) {
    const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
    assertWithin('LIMIT_EXCEEDED', 'The value', bytes, maxBytes, 'bytes');
  }
  return text;
}

/** Throws `VERSION_CONFLICT` unless this is the current version. 0, on either side, means no value; undefined accepts any. */
export function assertStateVersion(key: string, currentVersion: number, expectedVersion: number | undefined): void {
  if (expectedVersion === undefined || expectedVersion === currentVersion) return;
  const now = currentVersion === 0 ? 'There is nothing' : `Version ${currentVersion} stands`;
  const then = expectedVersion === 0 ? 'nothing was expected there' : `version ${expectedVersion} was expected`;
  const message = `${now} under "${key}", while ${then}: someone changed it in between.`;
  throw versionConflict(message, currentVersion, expectedVersion);
}
