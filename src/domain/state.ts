/** State: a JSON value under a key in a namespace, and the ways to change it. */

import { z } from 'zod';
import { LaminaError } from './error.ts';
import type { Json, JsonObject } from './json.ts';
import { assertWithin } from './limits.ts';

/** A value with what is known of it. */
export interface StateItem {
  readonly key: string;
  readonly value: Json;
  /**
   * Grows with every write of the key and never repeats, so that a value that was deleted and written again never has
   * a version that someone remembers: compare-and-set cannot be fooled. It says nothing of how many writes there were.
   */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
  /** How often it was read, as far as whoever reads it has that counted. */
  readonly accessCount: number;
  readonly lastAccessedAt?: string;
}

/** Where in the value: the names of the fields on the way, through objects only. Left out or empty: the value itself. */
interface Within {
  readonly path?: readonly string[];
}

/** A change that an engine can carry out by itself, atomically, so that two writers never lose an update. */
export type Mutation =
  | ({ readonly type: 'set'; readonly value: Json } & Within)
  /** Adds to a number; a missing one counts as 0. */
  | ({ readonly type: 'increment'; readonly by: number } & Within)
  /** Adds items to the end of a list; a missing one counts as empty. */
  | ({ readonly type: 'append'; readonly items: readonly Json[] } & Within)
  /** Sets fields of an object; a missing one counts as empty. */
  | ({ readonly type: 'merge'; readonly fields: { readonly [key: string]: Json } } & Within)
  /** Takes a field away, of which the path is; throws `NOT_FOUND` when it is not there. */
  | { readonly type: 'unset'; readonly path: readonly [string, ...string[]] }
  /** Leaves the value as it is, for a new time to live; throws `NOT_FOUND` when nothing is there. */
  | { readonly type: 'keep' };

export const jsonSchema: z.ZodType<Json> = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .describe('Any JSON, null included.') as z.ZodType<Json>;

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

/** The value after a mutation. Throws `VALIDATION_FAILED` when it does not go with what is there. Pure. */
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
      // Past the largest double there is no number to store.
      if (!Number.isFinite(sum)) throw refused(`The number under "${key}" gets too large.`, 'gets too large');
      return sum;
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

/** Objects on the way that are missing are made; anything else that stands in the way is an error. */
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

/** What stands at the end of a path of fields; undefined when nothing does. */
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

/** The value as JSON text. Throws `LIMIT_EXCEEDED` when that has more than `maxBytes` in UTF-8. */
export function serialised(value: Json, maxBytes: number): string {
  const text = JSON.stringify(value);
  // A code unit is one to three bytes: only what lies in between has to be counted.
  if (text.length * 3 > maxBytes) {
    const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
    assertWithin('LIMIT_EXCEEDED', 'The value', bytes, maxBytes, 'bytes');
  }
  return text;
}

/**
 * Throws `VERSION_CONFLICT` unless this is the version that stands there. 0, on either side, is that nothing does;
 * undefined expects nothing in particular.
 */
export function assertStateVersion(key: string, currentVersion: number, expectedVersion: number | undefined): void {
  if (expectedVersion === undefined || expectedVersion === currentVersion) return;
  const now = currentVersion === 0 ? 'There is nothing' : `Version ${currentVersion} stands`;
  const then = expectedVersion === 0 ? 'nothing was expected there' : `version ${expectedVersion} was expected`;
  throw new LaminaError('VERSION_CONFLICT', `${now} under "${key}", while ${then}: someone changed it in between.`, {
    details: { currentVersion, expectedVersion },
  });
}
