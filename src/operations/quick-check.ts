/**
 * Reads input that fits a schema of plain fields in a fraction of the time that zod takes. Compiled from the zod schema itself, so that
 * there is one source of truth; whatever it does not understand or does not like is left to zod, which also finds the words for it.
 */

import type { z } from 'zod';
import { assertJson } from '../domain/json.ts';

/** The input as the schema reads it: a new object. Undefined: ask zod, which may accept it all the same. */
export type QuickCheck = (input: unknown) => object | undefined;

type Fits = (value: unknown) => boolean;

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly fits: Fits;
}

/** As far as it is read here; see https://zod.dev/packages/core. */
interface Definition {
  readonly type?: string;
  readonly check?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Definition } }[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly coerce?: boolean;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly tx?: (value: unknown) => unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
  readonly inclusive?: boolean;
  readonly fn?: (value: unknown) => unknown;
}

/** Of a schema and of a check alike. */
const definitionOf = ({ _zod: { def } }: { readonly _zod: { readonly def: unknown } }): Definition => def as Definition;

/** Undefined for a schema that has anything but plain fields. */
export function quickCheckOf(schema: z.ZodType): QuickCheck | undefined {
  const { type, shape = {}, catchall, checks = [] } = definitionOf(schema);
  const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never';
  if (type !== 'object' || !isStrict || checks.length > 0) return undefined;
  const fields: Field[] = [];
  for (const [name, given] of Object.entries(shape)) {
    const field = fieldOf(name, given);
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return (input) => read(fields, input);
}

function read(fields: readonly Field[], input: unknown): object | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(input);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const output: Record<string, unknown> = {};
  let count = 0;
  for (const { name, isOptional, fits } of fields) {
    const value = (input as Record<string, unknown>)[name];
    if (value === undefined && isOptional) continue;
    if (value === undefined || !fits(value)) return undefined;
    output[name] = value;
    count += 1;
  }
  // Fields that the schema does not have, and those that are there but undefined, are zod's.
  return Object.keys(input).length === count ? output : undefined;
}

function fieldOf(name: string, schema: z.ZodType): Field | undefined {
  const { type, innerType } = definitionOf(schema);
  const isOptional = type === 'optional' && innerType !== undefined;
  const fits = fitsOf(isOptional ? innerType : schema);
  return fits && { name, isOptional, fits };
}

function fitsOf(schema: z.ZodType): Fits | undefined {
  const definition = definitionOf(schema);
  const first = ofType(definition);
  const others = (definition.checks ?? []).map((check) => ofCheck(definitionOf(check)));
  if (first === undefined || others.includes(undefined)) return undefined;
  const rest = others as Fits[];
  const [only] = rest;
  if (only === undefined) return first;
  return rest.length === 1
    ? (value) => first(value) && only(value)
    : (value) => first(value) && rest.every((fits) => fits(value));
}

const isText: Fits = (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed();

/** Formats that are their pattern and nothing else. */
const PATTERNS: ReadonlySet<string> = new Set(['uuid', 'datetime']);

function ofType({ type, check, format = '', pattern, coerce, entries }: Definition): Fits | undefined {
  if (coerce) return undefined;
  switch (type) {
    case 'string':
      if (check === undefined) return isText;
      if (pattern === undefined || pattern.global || pattern.sticky || !PATTERNS.has(format)) return undefined;
      return (value) => isText(value) && pattern.test(value as string);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'number':
      if (check === undefined) return Number.isFinite;
      return check === 'number_format' && format === 'safeint' ? Number.isSafeInteger : undefined;
    case 'enum': {
      const known = new Set<unknown>(Object.values(entries ?? {}));
      return (value) => typeof value === 'string' && known.has(value);
    }
    case 'unknown':
      return isJson;
    default:
      return undefined;
  }
}

function isJson(value: unknown): boolean {
  try {
    // Not where it stands in the input, which counts for its depth: zod's turn begins with all of it.
    assertJson(value, ['']);
    return true;
  } catch {
    return false;
  }
}

function ofCheck(definition: Definition): Fits | undefined {
  const { check, minimum = 0, maximum = 0, value: bound = 0, inclusive, fn, tx } = definition;
  switch (check) {
    case 'min_length':
      return (value) => (value as string).length >= minimum;
    case 'max_length':
      return (value) => (value as string).length <= maximum;
    case 'greater_than':
      return (value) => (inclusive === true ? (value as number) >= bound : (value as number) > bound);
    case 'less_than':
      return (value) => (inclusive === true ? (value as number) <= bound : (value as number) < bound);
    case 'custom':
      return fn && ((value) => fn(value) === true);
    case 'overwrite':
      // Only what it leaves as it is.
      return tx && ((value) => tx(value) === value);
    default:
      return undefined;
  }
}
