/** The OpenAPI document says what the service does, and holds together. */

import { describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../src/domain/error.ts';
import { openApiDocument, type OpenApiOperation, type OpenApiParameter } from '../src/operations/openapi-document.ts';
import { OPERATIONS, type OperationName } from '../src/operations/table.ts';
import { validate } from '../src/operations/validate.ts';
import { snakeCase } from '../src/domain/spelling.ts';
import type { JsonSchema } from '../src/operations/wire-schema.ts';
import { startServer } from './server/running-server.ts';

const document = openApiDocument('1.2.3');
const names = Object.keys(OPERATIONS) as OperationName[];
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function* walk(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* walk(inner);
}

function lookUp(reference: string): unknown {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

const operationOf = (name: OperationName): OpenApiOperation => {
  const { method, path } = OPERATIONS[name].http;
  const spelt = path.replace(/\{\w+\}/g, snakeCase);
  return document.paths[spelt]?.[method.toLowerCase()] as OpenApiOperation;
};

const parametersOf = (operation: OpenApiOperation): OpenApiParameter[] =>
  (operation.parameters ?? []).map((each) => ('$ref' in each ? lookUp(each.$ref) : each) as OpenApiParameter);

describe('the document', () => {
  it('is OpenAPI 3.1 and has every operation under its own id', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Lamina', version: '1.2.3' });
    for (const name of names) {
      expect(operationOf(name)?.operationId).toBe(name.replace(/\.(\w)/, (_, first: string) => first.toUpperCase()));
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(names.length);
  });

  it('has no reference that leads nowhere, and no schema that nobody uses', () => {
    const references = [...walk(document)].map((each) => each['$ref']).filter((each) => typeof each === 'string');
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) expect(lookUp(reference), reference).toBeTypeOf('object');
    for (const name of Object.keys(document.components.schemas))
      expect(references).toContain(`#/components/schemas/${name}`);
  });

  it('gives each operation its parameters, answers and errors in full', () => {
    for (const { path, method, operation } of operations) {
      const where = `${method} ${path}`;
      const parameters = parametersOf(operation);
      const inPath = parameters.filter((each) => each.in === 'path');
      expect(
        inPath.map(({ name }) => name),
        where,
      ).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(
        inPath.every(({ required }) => required),
        where,
      ).toBe(true);
      const keys = parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(keys).size, where).toBe(keys.length);
      for (const parameter of parameters) expect(parameter.schema, where).toBeTypeOf('object');
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[245]\d\d$/);
        expect(response.description.length, where).toBeGreaterThan(0);
        expect(Object.keys(response.content ?? {}).length, where).toBe(status === '204' ? 0 : 1);
      }
      expect(operation.summary.length, where).toBeGreaterThan(5);
      expect(operation.requestBody !== undefined, where).toBe(['post', 'put', 'patch'].includes(method));
    }
  });

  it('is in snake_case throughout', () => {
    const properties = [...walk(document.components.schemas)].flatMap((each) =>
      Object.keys((each as JsonSchema).properties ?? {}),
    );
    expect(properties.length).toBeGreaterThan(80);
    expect(properties.filter((name) => /[A-Z]/.test(name))).toEqual([]);
    for (const schema of Object.values(document.components.schemas)) {
      for (const name of schema.required ?? []) expect(Object.keys(schema.properties ?? {})).toContain(name);
    }
    const parameters = operations
      .flatMap(({ operation }) => parametersOf(operation))
      .filter((each) => each.in !== 'header');
    expect(parameters.filter(({ name }) => /[A-Z]/.test(name))).toEqual([]);
  });

  it('flattens the query of a list', () => {
    const query = parametersOf(operationOf('list')).filter((each) => each.in === 'query');
    expect(query.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['layer', 'user_id', 'tags', 'source_type', 'custom', 'cursor']),
    );
    expect(query.filter(({ required }) => required).map(({ name }) => name)).toEqual(['layer']);
  });

  it('says which errors there are', () => {
    const codes = (name: OperationName): unknown[] =>
      Object.values(operationOf(name).responses).flatMap((response) => response['x-error-codes'] ?? []);
    expect(codes('update')).toContain('VERSION_CONFLICT');
    expect(codes('get')).toContain('MEMORY_NOT_FOUND');
    expect(codes('add')).not.toContain('MEMORY_NOT_FOUND');
    expect(codes('search')).toContain('QUERY_TOO_LONG');
    for (const name of names) {
      for (const [status, response] of Object.entries(operationOf(name).responses)) {
        for (const code of response['x-error-codes'] ?? []) expect(ERROR_TABLE[code].status).toBe(Number(status));
      }
    }
  });

  it('names the errors that really come', async () => {
    const { call } = await startServer();
    const { json } = await call('POST', '/v1/memory/entries', {});
    const schema = document.components.schemas['Error'];
    expect(Object.keys(schema?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(json as object)));
    for (const name of schema?.required ?? []) expect(json).toHaveProperty(name);
  });

  it('is served', async () => {
    const { call } = await startServer();
    const { status, headers, json } = await call('GET', '/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('examples', () => {
  it.each(names)('of %s fit their schemas', (name) => {
    expect(() => validate(OPERATIONS[name].input, OPERATIONS[name].example.input)).not.toThrow();
    expect(() => validate(OPERATIONS[name].output, OPERATIONS[name].example.output)).not.toThrow();
  });

  it('are shown in wire form', () => {
    const body = operationOf('update').requestBody?.content['application/json']?.example;
    expect(body).toEqual({ content: 'Ada prefers green tea to coffee.' });
    expect(operationOf('update')['x-codeSamples']?.[0]?.source).toContain(`-H 'If-Match: "1"'`);
    const [sample] = operationOf('list')['x-codeSamples'] ?? [];
    expect(sample?.source).toContain('?layer=user&limit=10&tags=preference');
  });
});
