/** The short way through validation: what it lets through zod does too, as the same; and it is taken. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../src/operations/operation.ts';
import { quickCheckOf } from '../src/operations/quick-check.ts';
import { OPERATIONS } from '../src/operations/table.ts';
import { validate, validateByZod } from '../src/operations/validate.ts';

const ROWS: readonly [string, Operation][] = Object.entries(OPERATIONS);
const QUICK = ROWS.filter(([, { input }]) => quickCheckOf(input) !== undefined);

const TIME = '2026-11-15T09:30:00.000Z';
const ID = '7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b6a';

const TEXTS = [
  '',
  '.',
  '..',
  'a',
  'a'.repeat(100),
  'a'.repeat(101),
  'a\0b',
  '\ud800',
  '☕',
  ID,
  ID.toUpperCase(),
  TIME,
];
const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 53, 1e300, 100, 1000, 315_360_000, Number.NaN, Number.POSITIVE_INFINITY, 7n];
const KINDS = [null, undefined, true, false, new Date(0), new Map(), () => 1, Symbol('x'), [], ['a'], [undefined], {}];
const NAMES = ['semantic', 'user', 'read', '2026-13-45'];
const OBJECTS = [
  { a: [{ b: 'c' }] },
  { a: undefined },
  { a: '\0' },
  Object.create(null),
  JSON.parse('{"__proto__": 1}'),
];

/** What fits somewhere, and what only nearly does. */
const value = fc.oneof(
  fc.constantFrom<unknown>(...TEXTS, ...NUMBERS, ...KINDS, ...NAMES, ...OBJECTS),
  fc.string(),
  fc.integer(),
  fc.jsonValue(),
);

/** An example with fields replaced, removed and added. */
function inputOf({ input, example }: Operation): fc.Arbitrary<unknown> {
  const names = fc.constantFrom(...Object.keys(input.shape), 'other', '__proto__', 'constructor', 'toString');
  const change = fc.tuple(names, fc.option(value, { freq: 3, nil: 'REMOVED' }));
  const prototype = fc.constantFrom<object | null>(Object.prototype, Object.prototype, null, { inherited: 1 });
  return fc.tuple(fc.array(change, { maxLength: 3 }), prototype).map(([changes, of]) => {
    const made: Record<string, unknown> = Object.assign(Object.create(of), example.input);
    for (const [name, given] of changes) {
      if (given === 'REMOVED') delete made[name];
      else Object.defineProperty(made, name, { value: given, enumerable: true, configurable: true, writable: true });
    }
    return made;
  });
}

describe('the short way through validation', () => {
  it('is there for what is asked most', () => {
    const names = QUICK.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['working.get', 'working.set', 'working.delete', 'get', 'delete']));
    expect(names.length).toBeGreaterThan(ROWS.length / 2);
  });

  it.each(QUICK)('is taken by the example of %s, to where zod comes', (_name, { input, example }) => {
    const quick = quickCheckOf(input)?.(example.input);
    expect(quick).toStrictEqual(validateByZod(input, example.input));
    expect(quick).not.toBe(example.input);
  });

  it.each(QUICK)('of %s agrees with zod', (_name, row) => {
    const quickCheck = quickCheckOf(row.input);
    const agrees = (input: unknown): void => {
      const quick = quickCheck?.(input);
      if (quick === undefined) return;
      const slow = validateByZod(row.input, input);
      expect(quick).toStrictEqual(slow);
      expect(Object.keys(quick)).toEqual(Object.keys(slow));
    };
    fc.assert(fc.property(inputOf(row), agrees), { numRuns: 150 });
    fc.assert(fc.property(value, agrees), { numRuns: 30 });
  });

  it('leaves to zod what it does not understand', () => {
    const plain = z.strictObject({ a: z.string() });
    expect(quickCheckOf(plain)).toBeDefined();
    const others: readonly z.ZodType[] = [
      z.object({ a: z.string() }),
      z.looseObject({ a: z.string() }),
      plain.refine(() => true),
      plain.transform((given) => given),
      z.strictObject({ a: z.string().default('b') }),
      z.strictObject({ a: z.string().transform((given) => given) }),
      z.strictObject({ a: z.coerce.string() }),
      z.strictObject({ a: z.coerce.number() }),
      z.strictObject({ a: z.string().superRefine(() => {}) }),
      z.strictObject({ a: z.string().regex(/b/) }),
      z.strictObject({ a: z.email() }),
      z.strictObject({ a: z.int32() }),
      z.strictObject({ a: z.number().multipleOf(2) }),
      z.strictObject({ a: z.array(z.string()) }),
      z.strictObject({ a: z.string().nullable() }),
      z.strictObject({ a: z.string().optional().default('b') }),
      z.strictObject({ a: z.literal('b') }),
      z.strictObject({ a: plain }),
      z.array(z.string()),
    ];
    for (const schema of others) expect([schema.def, quickCheckOf(schema)]).toEqual([schema.def, undefined]);
  });

  it('does not keep the caller from changing what was given', () => {
    const input = { planId: 'p', key: 'k' };
    const read = validate(OPERATIONS['working.get'].input, input);
    input.key = 'another';
    expect(read).toEqual({ planId: 'p', key: 'k' });
  });
});
