/** A JSON Schema as something that gives values which fit it; as much of JSON Schema as the service's own document uses. */

import fc from 'fast-check';
import type { JsonSchema } from '../../src/operations/wire-schema.ts';

/** Long enough to be text, short enough to send thousands. */
const USUAL_LENGTH = 24;
const LONGEST = 400;
const MOST_ITEMS = 3;
/** Alternatives below this are taken without what is optional, so that schemas that hold themselves come to an end. */
const DEPTH = 6;
const USUAL_NUMBER = 1000;

// Once, and not for each schema: it takes longer to make one than to draw thousands of it.
const FIELD_NAME = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/);
const FREE_NAME = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_. -]{0,9}$/);

export type LookUp = (reference: string) => JsonSchema;

/** Nothing in it is `__proto__`, NUL or a lone surrogate: those are for the hostile. */
export function valuesOf(schema: JsonSchema, lookUp: LookUp, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valuesOf(lookUp(schema.$ref), lookUp, depth + 1);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((each) => valuesOf(each, lookUp, depth + 1)));
  const [type] = [schema.type].flat();
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
    case 'number':
      return numbers(schema, type === 'integer');
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, lookUp, depth + 1), {
        minLength: numberIn(schema, 'minItems') ?? 0,
        maxLength: Math.max(
          numberIn(schema, 'minItems') ?? 0,
          Math.min(numberIn(schema, 'maxItems') ?? 99, MOST_ITEMS),
        ),
      });
    case 'object':
      return objects(schema, lookUp, depth);
    default:
      return anything();
  }
}

const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', minLength, maxLength });

function texts(schema: JsonSchema): fc.Arbitrary<string> {
  const { format } = schema;
  if (format === 'date-time') {
    const [min, max] = [new Date('1990-01-01'), new Date('2100-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (format === 'uuid') return fc.uuid();
  const [least, most] = [numberIn(schema, 'minLength') ?? 0, numberIn(schema, 'maxLength') ?? USUAL_LENGTH];
  const usual = text(least, Math.max(least, Math.min(most, USUAL_LENGTH)));
  if (most > LONGEST) return usual;
  // As long as it may be, and as short.
  return fc.oneof({ weight: 8, arbitrary: usual }, fc.constant('x'.repeat(most)), fc.constant('y'.repeat(least)));
}

function numbers(schema: JsonSchema, isInteger: boolean): fc.Arbitrary<number> {
  const least = numberIn(schema, 'minimum') ?? numberIn(schema, 'exclusiveMinimum') ?? -USUAL_NUMBER;
  const [above, most] = ['exclusiveMinimum' in schema ? 1 : 0, numberIn(schema, 'maximum') ?? least + USUAL_NUMBER];
  if (isInteger) return fc.integer({ min: least + above, max: Math.max(least + above, Math.min(most, 2 ** 31)) });
  return fc.oneof(
    fc.double({ min: least, max: most, noNaN: true, minExcluded: above === 1 }),
    fc.constant(most),
    fc.constant(above === 1 ? most : least),
  );
}

function objects(schema: JsonSchema, lookUp: LookUp, depth: number): fc.Arbitrary<unknown> {
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {}).filter((name) => depth < DEPTH || required.includes(name));
  const extra = schema.additionalProperties;
  if (names.length === 0 && extra !== false) {
    const values = typeof extra === 'object' ? valuesOf(extra, lookUp, depth + 1) : anything();
    return fc.dictionary(FIELD_NAME, values, {
      maxKeys: MOST_ITEMS,
      noNullPrototype: true,
    });
  }
  const properties = names.map((name) => {
    const values = valuesOf(schema.properties?.[name] ?? {}, lookUp, depth + 1);
    return [name, required.includes(name) ? values : fc.oneof(ABSENT, { weight: 1, arbitrary: values })] as const;
  });
  return fc.record(Object.fromEntries(properties)).map(withoutAbsent);
}

/** Most fields that may be left out are: all of them together seldom go together. */
const ABSENT = { weight: 3, arbitrary: fc.constant(undefined) };

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function anything(): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    text(0, USUAL_LENGTH),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.constant(null),
    fc.array(leaf, { maxLength: MOST_ITEMS }),
    fc.dictionary(FREE_NAME, leaf, { maxKeys: MOST_ITEMS, noNullPrototype: true }),
  );
}

function numberIn(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}
