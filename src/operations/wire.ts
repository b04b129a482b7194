/** The HTTP form of each operation: how its input travels as path, query and body, and its output as a body. */

import { camelCase, snakeCase } from '../domain/spelling.ts';
import { invalidField, LaminaError } from '../domain/error.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS, type OperationName } from './table.ts';
import { compileMapper, type Mapper } from './wire-mapper.ts';
import { Misfit, parameterOf, readText, writeTexts, type Parameter } from './wire-parameter.ts';
import { compileQuery, type QueryTable } from './wire-query.ts';
import { jsonSchemaOf, type JsonSchema } from './wire-schema.ts';

/** A request as the service receives it. */
export interface WireRequest {
  readonly path: Readonly<Record<string, string>>;
  /** The query string without its question mark. */
  readonly search: string;
  readonly body: unknown;
  /** The headers of these names. */
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly lastEventId?: string | undefined;
}

/** A request as a client sends it. */
export interface WireCall {
  /** From the service's root. */
  readonly url: string;
  readonly body: unknown;
  readonly ifMatch?: string | undefined;
}

export interface Wire {
  readonly output: Mapper;
  readonly pathParameters: readonly Parameter[];
  readonly query: QueryTable;
  /** Otherwise the input travels in the query. */
  readonly hasBody: boolean;
  /** Whether it has required fields; otherwise a missing body counts as empty. */
  readonly needsBody: boolean;
  /** The input in camelCase, ready for validation. Throws `VALIDATION_FAILED` for what cannot be read. */
  decodeRequest(request: WireRequest): unknown;
  /** Throws `VALIDATION_FAILED` for what cannot be encoded. */
  encodeRequest(input: unknown): WireCall;
  /** A path of the library's input, such as `identifiers.userId`, as the service names it. */
  encodePath(path: string): string;
  decodePath(path: string): string;
}

const compiled = new Map<OperationName, Wire>();

/** Compiled on first use, then kept. */
export function wireOf(name: OperationName): Wire {
  let wire = compiled.get(name);
  if (!wire) {
    wire = compileWire(OPERATIONS[name]);
    compiled.set(name, wire);
  }
  return wire;
}

export function compileWire(operation: Operation): Wire {
  const { method, path, ifMatch, query: inQuery = [], names } = operation.http;
  const schema = jsonSchemaOf(operation.input, 'input');
  const pathParameters = pathFields(path).map((field) =>
    parameterOf([field], schema.properties?.[field] ?? {}, schema, true),
  );
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const elsewhere = new Set([...pathParameters.map(({ camelName }) => camelName), ...(ifMatch ? [ifMatch] : [])]);
  const hasSplit = elsewhere.size + inQuery.length > 0;
  const isInBody = (field: string): boolean => !elsewhere.has(field) && !inQuery.includes(field);
  const needsBody = hasBody && (schema.required ?? []).some(isInBody);
  const input = compileMapper(schema);
  const query = compileQuery(hasBody ? only(schema, inQuery) : schema, elsewhere, names);
  return {
    output: compileMapper(jsonSchemaOf(operation.output, 'output')),
    pathParameters,
    query,
    hasBody,
    needsBody,
    decodeRequest: (request) => {
      const fields = query.decode(request.search);
      if (!hasBody) assertNoBody(request.body);
      decodePathFields(fields, pathParameters, request.path);
      if (method !== 'GET') decodePrecondition(fields, operation, request);
      decodeResumption(fields, operation, request);
      if (request.body === undefined && !needsBody) return fields;
      return hasBody ? withFields(input.decode(request.body), fields) : fields;
    },
    encodeRequest: (value) => {
      const rest = { ...(value as Record<string, unknown>) };
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => takePathText(pathParameters, rest, name));
      const match = ifMatch === undefined ? undefined : takeVersion(rest, ifMatch);
      const search = query.encode(hasBody ? take(rest, inQuery) : rest);
      const full = search === '' ? url : `${url}?${search}`;
      return { url: full, body: hasBody ? input.encode(hasSplit ? rest : value) : undefined, ifMatch: match };
    },
    encodePath: (dotted) => parameterPath(query, dotted) ?? input.encodePath(dotted),
    decodePath: (dotted) => fieldPath(query, dotted) ?? input.decodePath(dotted),
  };
}

/** Placeholders in either spelling, as fields of the input. */
function pathFields(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => camelCase(name));
}

function decodePathFields(
  fields: Record<string, unknown>,
  parameters: readonly Parameter[],
  texts: WireRequest['path'],
): void {
  for (const { name, camelName, type } of parameters) {
    const value = readText(type, texts[name] ?? texts[camelName] ?? '');
    if (value instanceof Misfit) refuse(name, `expected ${value.expected}`);
    fields[camelName] = value;
  }
}

function only(schema: JsonSchema, fields: readonly string[]): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).filter(([field]) => fields.includes(field));
  return { ...schema, properties: Object.fromEntries(properties) };
}

function take(rest: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const taken = Object.fromEntries(fields.map((field) => [field, rest[field]]));
  for (const field of fields) delete rest[field];
  return taken;
}

/** An ignored precondition would let an unintended change through, so it is refused. */
function decodePrecondition(
  fields: Record<string, unknown>,
  { http }: Operation,
  { ifMatch, ifNoneMatch }: WireRequest,
): void {
  const field = http.ifMatch;
  if (ifNoneMatch !== undefined) {
    if (field === undefined || !http.ifNoneMatch || ifNoneMatch.trim() !== '*')
      refuse('If-None-Match', 'is not understood here');
    fields[field] = 0;
  } else if (ifMatch !== undefined) {
    if (field === undefined) refuse('If-Match', 'is not understood here');
    fields[field] = versionIn(ifMatch);
  }
}

/** The header is newer than the query: a browser that connects again sends both. */
function decodeResumption(fields: Record<string, unknown>, { http }: Operation, { lastEventId }: WireRequest): void {
  if (http.lastEventId !== undefined && lastEventId) fields[http.lastEventId] = lastEventId;
}

/** The version in an entity tag, as `ETag` gave it. */
function versionIn(header: string): number {
  const version = /^(?:"(\d+)"|(\d+))$/.exec(header.trim());
  if (!version) refuse('If-Match', 'expected one version, as the ETag of an answer gives it');
  return Number(version[1] ?? version[2]);
}

function takeVersion(rest: Record<string, unknown>, field: string): string | undefined {
  const version = rest[field];
  delete rest[field];
  return version === undefined ? undefined : `"${JSON.stringify(version)}"`;
}

/** An ignored body would hide a misunderstanding, so it is refused. */
function assertNoBody(body: unknown): void {
  const isEmpty = body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);
  if (isEmpty) return;
  throw new LaminaError('VALIDATION_FAILED', 'This operation takes no body: its input is in the path and the query.');
}

function withFields(body: unknown, fields: Record<string, unknown>): unknown {
  if (body === undefined) throw new LaminaError('VALIDATION_FAILED', 'The body is missing: send a JSON object.');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  for (const name in fields) {
    const given = (body as Record<string, unknown>)[name];
    if (given !== undefined && given !== fields[name]) refuse(snakeCase(name), 'differs between the path and the body');
  }
  return { ...body, ...fields };
}

/** Removes a path field from the input. A URL cannot contain an empty or a dot segment, however it is encoded. */
function takePathText(parameters: readonly Parameter[], rest: Record<string, unknown>, placeholder: string): string {
  const parameter = parameters.find(({ name, camelName }) => name === placeholder || camelName === placeholder);
  if (!parameter) throw new LaminaError('CONFIGURATION_ERROR', `No field for {${placeholder}}.`);
  const { camelName, name } = parameter;
  const texts = writeTexts(parameter, rest[camelName]);
  delete rest[camelName];
  if (texts instanceof Misfit) refuse(name, `expected ${texts.expected}`);
  const text = texts.join();
  if (text === '' || text === '.' || text === '..') refuse(name, `"${text}" cannot be an id`);
  return encodeURIComponent(text);
}

function refuse(path: string, message: string): never {
  throw invalidField(path, message);
}

/** `filter.tags.0` as `tags.0`, where the query has such a parameter. */
function parameterPath({ parameters }: QueryTable, dotted: string): string | undefined {
  for (const { at, name } of parameters) {
    const own = at.join('.');
    if (dotted === own || dotted.startsWith(`${own}.`)) return name + dotted.slice(own.length);
  }
  return undefined;
}

function fieldPath({ parameters }: QueryTable, dotted: string): string | undefined {
  for (const { at, name } of parameters) {
    if (dotted === name || dotted.startsWith(`${name}.`)) return at.join('.') + dotted.slice(name.length);
  }
  return undefined;
}
