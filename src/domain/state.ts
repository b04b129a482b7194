/** State: a JSON value under a key in a namespace, and the ways to change it. */

import { z } from 'zod';
import { LaminaError } from './error.ts';
import type { Json } from './json.ts';

/** A value with what is known of it. */
export interface StateItem {
  readonly key: string;
  readonly value: Json;
  /**
   * Grows with every write anywhere in the tenant, so that a value that was deleted and written again never has a
   * version that someone remembers: compare-and-set cannot be fooled.
   */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
}

/** A change that an engine can carry out by itself, atomically, so that two writers never lose an update. */
export type Mutation =
  | { readonly type: 'set'; readonly value: Json }
  /** Adds to a number; a missing one counts as 0. */
  | { readonly type: 'increment'; readonly by: number }
  /** Adds items to the end of a list; a missing one counts as empty. */
  | { readonly type: 'append'; readonly items: readonly Json[] }
  /** Sets fields of an object; a missing one counts as empty. */
  | { readonly type: 'merge'; readonly fields: { readonly [key: string]: Json } };

export const jsonSchema: z.ZodType<Json> = z.unknown().describe('Any JSON, null included.') as z.ZodType<Json>;

function misfit(key: string, expected: string, value: Json): LaminaError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new LaminaError('VALIDATION_FAILED', `The value under "${key}" is ${actual}, not ${expected}.`, {
    details: { problems: [{ path: 'key', message: `holds ${actual}, not ${expected}` }] },
  });
}

/** The value after a mutation. Throws `VALIDATION_FAILED` when it does not go with what is there. Pure. */
export function mutated(key: string, current: Json | undefined, mutation: Mutation): Json {
  switch (mutation.type) {
    case 'set':
      return mutation.value;
    case 'increment': {
      const base = current ?? 0;
      if (typeof base !== 'number') throw misfit(key, 'a number', base);
      const sum = base + mutation.by;
      if (!Number.isFinite(sum))
        throw new LaminaError('VALIDATION_FAILED', `The number under "${key}" gets too large.`);
      return sum;
    }
    case 'append': {
      const base = current ?? [];
      if (!Array.isArray(base)) throw misfit(key, 'a list', base);
      return [...(base as readonly Json[]), ...mutation.items];
    }
    case 'merge': {
      const base = current ?? {};
      if (base === null || typeof base !== 'object' || Array.isArray(base)) throw misfit(key, 'an object', base);
      return { ...base, ...mutation.fields };
    }
  }
}
