/** The wire form: what is renamed, what is not, and that nothing is lost on the way. */

import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation, type HttpBinding } from '../src/operations/operation.ts';
import { OPERATIONS, type OperationName } from '../src/operations/table.ts';
import { compileMapper } from '../src/operations/wire-mapper.ts';
import { compileQuery } from '../src/operations/wire-query.ts';
import { snakeCase } from '../src/domain/spelling.ts';
import { jsonSchemaOf, type JsonSchema } from '../src/operations/wire-schema.ts';
import { compileWire, wireOf } from '../src/operations/wire.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];

/** Keys that a careless mapper would rename, drop, or trip over. */
const hostileKey = fc.oneof(
  fc.constantFrom(
    'userId',
    'user_id',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    'a.b',
    '0',
  ),
  fc.string({ maxLength: 8 }),
);

/** Plain JSON whose keys are own properties, whatever they are called. */
const freeJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.array(fc.tuple(hostileKey, tie('value')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
})).value;

const freeObject = fc.array(fc.tuple(hostileKey, freeJson), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs));

/** Values that fit the structure of a schema; lengths and formats do not matter to the wire. */
function valuesOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (schema.type === 'object' && !schema.properties) return freeObject;
  if (schema.properties) {
    const fields = Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, valuesOf(inner)]),
    );
    return fc.record(fields, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
  }
  if (schema.items) return fc.array(valuesOf(schema.items), { maxLength: 3 });
  if (schema.type === 'integer') return fc.integer();
  if (schema.type === 'number')
    return fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n));
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  return fc.string({ unit: 'grapheme' });
}

/** What a path can hold: anything but nothing and dot segments. */
const pathText = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..');

/** The fields of a path, as a router reads them by its pattern. */
function fieldsIn(pattern: string, path: string): Record<string, string> {
  const parts = path.split('/').map(decodeURIComponent);
  const fields = pattern.split('/').flatMap((part, index) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, parts[index] ?? '']];
  });
  return Object.fromEntries(fields) as Record<string, string>;
}

describe.each(NAMES)('%s', (name) => {
  const { input, output, http } = OPERATIONS[name];
  const inputSchema = jsonSchemaOf(input, 'input');
  const outputSchema = jsonSchemaOf(output, 'output');

  it.each([
    ['input', inputSchema],
    ['output', outputSchema],
  ] as const)('%s comes back as it was, from snake_case and from camelCase', (_, schema) => {
    const mapper = compileMapper(schema);
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        const before = structuredClone(value);
        const encoded = mapper.encode(value);
        deepStrictEqual(mapper.decode(encoded), value);
        deepStrictEqual(mapper.decode(value), value);
        deepStrictEqual(mapper.decode(JSON.parse(JSON.stringify(encoded))), JSON.parse(JSON.stringify(value)));
        deepStrictEqual(value, before);
      }),
    );
  });

  it('as a request comes back as it was', () => {
    const wire = wireOf(name);
    const { ifMatch: version }: HttpBinding = http;
    const inPath = wire.pathParameters.map(({ camelName }) => [camelName, pathText]);
    const fields = Object.fromEntries([...inPath, ...(version === undefined ? [] : [[version, fc.nat()]])]);
    const values = fc
      .tuple(valuesOf(inputSchema), fc.record(fields))
      .map(([value, given]) => ({ ...(value as object), ...given }));
    fc.assert(
      fc.property(values, (value) => {
        const { url, body, ifMatch } = wire.encodeRequest(value);
        const [path = '', search = ''] = url.split('?');
        const request = { path: fieldsIn(http.path, path), search, body, ifMatch };
        if (isCarriedByQuery(wire.hasBody, value))
          deepStrictEqual(wire.decodeRequest(request), wire.hasBody ? value : stripEmpty(value));
      }),
    );
  });

  it('names no field in camelCase on the wire', () => {
    const mapper = compileMapper(outputSchema);
    const [sample] = fc.sample(valuesOf(outputSchema), { numRuns: 1, seed: 1 });
    const named = (value: unknown, schema: JsonSchema): string[] => {
      if (Array.isArray(value)) return value.flatMap((item) => named(item, schema.items ?? {}));
      if (typeof value !== 'object' || value === null) return [];
      const object = schema.anyOf?.find((each) => each.properties) ?? schema;
      return Object.entries(object.properties ?? {}).flatMap(([key, inner]) => {
        const own = Object.hasOwn(value, snakeCase(key)) ? [snakeCase(key)] : [];
        return [...own, ...named((value as Record<string, unknown>)[snakeCase(key)], inner)];
      });
    };
    const encoded = mapper.encode(sample);
    for (const key of Object.keys(encoded as object)) expect(key).not.toMatch(/[A-Z]/);
    for (const key of named(encoded, outputSchema)) expect(key).not.toMatch(/[A-Z]/);
  });
});

/** A query string has no empty array (it reads back as one empty text, which validation refuses). */
function isCarriedByQuery(hasBody: boolean, value: object): boolean {
  if (hasBody) return true;
  const arrays = [value, ...Object.values(value)].flatMap((each) =>
    typeof each === 'object' && each !== null ? Object.values(each as object) : [],
  );
  return !arrays.some((each) => Array.isArray(each) && each.length === 0);
}

/** A query string has no empty group either: nothing was asked. */
function stripEmpty(value: object): object {
  const isEmptyGroup = (key: string, inner: unknown): boolean =>
    (key === 'identifiers' || key === 'filter') && Object.keys(inner as object).length === 0;
  return Object.fromEntries(Object.entries(value).filter(([key, inner]) => !isEmptyGroup(key, inner)));
}

describe('mapping', () => {
  const mapper = compileMapper(
    jsonSchemaOf(
      z.strictObject({
        someField: z.strictObject({ innerField: z.string() }).optional(),
        free: z.record(z.string(), z.unknown()).optional(),
      }),
      'input',
    ),
  );

  it('leaves unknown fields as they were written', () => {
    expect(mapper.decode({ unknown_one: 1, unknownTwo: { some_field: 2 } })).toEqual({
      unknown_one: 1,
      unknownTwo: { some_field: 2 },
    });
  });

  it('refuses both spellings at once, in either order and direction', () => {
    for (const value of [
      { someField: {}, some_field: {} },
      { some_field: {}, someField: {} },
    ]) {
      expect(() => mapper.decode(value)).toThrow('"some_field" and "someField"');
      expect(() => mapper.encode(value)).toThrow('"some_field" and "someField"');
    }
  });

  it('keeps __proto__ as a plain field, and pollutes nothing', () => {
    const decoded = mapper.decode(
      JSON.parse('{"__proto__": {"polluted": 1}, "some_field": {"__proto__": {"x": 1}}}'),
    ) as object;
    expect(Object.hasOwn(decoded, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([undefined, null, 5, 'text', [], [1]])('hands on what is no object: %j', (value) => {
    expect(mapper.decode(value)).toEqual(value);
  });

  it('renames inside arrays, records, unions and recursion', () => {
    const node = z.strictObject({
      nodeName: z.string(),
      get subNodes() {
        return z.array(node).optional();
      },
    });
    const schema = z.strictObject({
      byName: z.record(z.string(), z.strictObject({ someValue: z.number() })),
      either: z.union([
        z.strictObject({ firstKind: z.string() }),
        z.strictObject({ secondKind: z.string() }),
        z.null(),
      ]),
      nodeTree: node,
    });
    const value = {
      byName: { userId: { someValue: 1 } },
      either: { secondKind: 'x' },
      nodeTree: { nodeName: 'a', subNodes: [{ nodeName: 'b', subNodes: [] }] },
    };
    const compiled = compileMapper(jsonSchemaOf(schema, 'input'));
    expect(compiled.encode(value)).toEqual({
      by_name: { userId: { some_value: 1 } },
      either: { second_kind: 'x' },
      node_tree: { node_name: 'a', sub_nodes: [{ node_name: 'b', sub_nodes: [] }] },
    });
    expect(compiled.decode(compiled.encode(value))).toEqual(value);
    expect(compiled.encodePath('nodeTree.subNodes.0.nodeName')).toBe('node_tree.sub_nodes.0.node_name');
    expect(compiled.encodePath('byName.userId.someValue')).toBe('by_name.userId.some_value');
  });

  it('refuses schemas whose fields cannot be told apart', () => {
    const clash = z.strictObject({ userId: z.string(), user_id: z.string() });
    expect(() => compileMapper(jsonSchemaOf(clash, 'input'))).toThrow('both "user_id"');
    const vague = z.union([z.record(z.string(), z.unknown()), z.strictObject({ userId: z.string() })]);
    expect(() => compileMapper(jsonSchemaOf(vague, 'input'))).toThrow('no one wire form');
  });
});

describe('query tables', () => {
  it('refuse two fields under one parameter', () => {
    const schema = z.strictObject({ limit: z.int(), filter: z.strictObject({ limit: z.int() }) });
    expect(() => compileQuery(jsonSchemaOf(schema, 'input'), new Set())).toThrow(
      '"limit" and "filter.limit" are both "limit"',
    );
  });

  it('do not let a value pass for one of another type', () => {
    const { query } = wireOf('list');
    for (const input of [
      { limit: '5' },
      { identifiers: { userId: 5 } },
      { kinds: 'semantic' },
      { cursor: null },
      { filter: { hasKnowledgePointer: 'true' } },
    ]) {
      expect(() => query.encode(input), JSON.stringify(input)).toThrow('does not fit');
    }
  });

  it('do not lose what they cannot name', () => {
    const { query } = wireOf('list');
    for (const input of [
      { colour: 'red' },
      { identifiers: 'x' },
      { identifiers: { limit: 5 } },
      { filter: { layer: 'user' } },
      { kinds: [] },
    ]) {
      const search = query.encode({ ...input });
      expect(search, JSON.stringify(input)).not.toBe('');
    }
    expect(() => query.decode(query.encode({ identifiers: { limit: 5 } }))).toThrow(
      'identifiers.limit: unknown parameter',
    );
  });
});

describe('paths', () => {
  const item = operation({
    summary: 'Read an item.',
    input: z.strictObject({ planId: z.string(), index: z.int(), someFlag: z.boolean().optional() }),
    output: z.strictObject({ ok: z.boolean() }),
    group: 'Test',
    example: { input: { planId: 'p', index: 1 }, output: { ok: true } },
    http: { method: 'GET', path: '/v1/plans/{plan_id}/items/{index}', status: 200 },
  });

  it('take fields of any scalar type, in either spelling', () => {
    const wire = compileWire(item);
    const input = { planId: 'a/b ?%é', index: 7, someFlag: true };
    const { url } = wire.encodeRequest(input);
    expect(url).toBe('/v1/plans/a%2Fb%20%3F%25%C3%A9/items/7?some_flag=true');
    expect(
      wire.decodeRequest({ path: { plan_id: 'a/b ?%é', index: '7' }, search: 'someFlag=true', body: undefined }),
    ).toEqual(input);
    expect(() => wire.decodeRequest({ path: { plan_id: 'x', index: 'seven' }, search: '', body: undefined })).toThrow(
      'index: expected an integer',
    );
  });

  it.each(['', '.', '..', 5, undefined, null, {}])('cannot hold %j', (planId) => {
    expect(() => compileWire(item).encodeRequest({ planId, index: 1 })).toThrow('plan_id');
  });
});
