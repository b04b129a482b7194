/** The whole service as an OpenAPI 3.1 document, made from the table of operations. */

import { snakeCase } from '../domain/spelling.ts';
import { ERROR_TABLE, type ErrorCode } from '../domain/error.ts';
import { LOCAL_USER, NIL_TENANT } from '../domain/principal.ts';
import { errorsOf } from './openapi-errors.ts';
import { addComponent, ERROR_SCHEMA, refTo, toWire, type Components } from './openapi-schemas.ts';
import type { HttpBinding, Operation } from './operation.ts';
import { OPERATIONS, type OperationName } from './table.ts';
import { encodeServerEvent, EVENT_STREAM } from './server-event.ts';
import { wireOf } from './wire.ts';
import { healthReportSchema } from '../domain/health.ts';
import type { Parameter } from './wire-parameter.ts';
import type { JsonSchema } from './wire-schema.ts';

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}

type Headers = Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
  /** The error codes of a status. */
  readonly 'x-error-codes'?: readonly ErrorCode[];
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (OpenApiParameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
  /** The main path of the operation that this path is an alias of. */
  readonly 'x-alias-of'?: string;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Components;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly securitySchemes: typeof SECURITY_SCHEMES;
  };
  readonly security: readonly Readonly<Record<string, readonly []>>[];
}

/** Either of them if authentication is configured; neither if not. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A JSON Web Token, or an API key.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key: `lam_…`.' },
} as const;

const PRINCIPAL_PARAMETERS: Readonly<Record<string, OpenApiParameter>> = {
  TenantId: {
    name: 'X-Tenant-ID',
    in: 'header',
    required: false,
    description:
      'The isolation boundary. Nothing ever crosses it. With authentication the token determines it: any other is FORBIDDEN.',
    schema: { type: 'string', format: 'uuid', default: NIL_TENANT },
  },
  UserId: {
    name: 'X-User-ID',
    in: 'header',
    required: false,
    description:
      'Who is asking: a person or an autonomous agent. Percent-encode non-ASCII characters. With authentication the token ' +
      'determines it; the role `delegate` may name any user of its tenant, for others a different user is FORBIDDEN.',
    schema: { type: 'string', minLength: 1, maxLength: 100, default: LOCAL_USER },
  },
  AgentId: {
    name: 'X-Agent-ID',
    in: 'header',
    required: false,
    description:
      "The agent that acts for the user; restricts the call to that agent's memory. Percent-encoded likewise. With " +
      'authentication it narrows a token that names no agent; an agent other than the one in the token is FORBIDDEN.',
    schema: { type: 'string', minLength: 1, maxLength: 100 },
  },
  Roles: {
    name: 'X-Roles',
    in: 'header',
    required: false,
    description:
      'Separated by commas. Default: `admin` where no user is named, else `member`. Ignored with authentication.',
    schema: { type: 'string' },
  },
};

const IF_MATCH: OpenApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The version that this change applies to, from the `ETag` of a response; VERSION_CONFLICT if it is no longer current.',
  schema: { type: 'string' },
};

const LAST_EVENT_ID: OpenApiParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Where to resume: the id of the last event received. Browsers send it automatically.',
  schema: { type: 'string' },
};

const REQUEST_ID: Headers = {
  'X-Request-ID': { description: 'Yours, if you sent one, else a new one.', schema: { type: 'string' } },
};

const OPENSPEC_HEADERS: Headers = {
  'X-Provider-Version': { description: 'The version of this software.', schema: { type: 'string' } },
  'X-Rate-Limit-Remaining': {
    description: 'How many requests are left. 2147483647 if no limit is configured.',
    schema: { type: 'integer' },
  },
  'X-Rate-Limit-Reset': { description: 'Seconds until more are left.', schema: { type: 'integer' } },
};

const RETRY_AFTER: Headers = {
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
};

const EXAMPLE_ORIGIN = 'http://127.0.0.1:8787';

export function openApiDocument(version: string): OpenApiDocument {
  const schemas: Components = { Error: ERROR_SCHEMA };
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const { method, path, aliases = [] }: HttpBinding = OPERATIONS[name].http;
    const described = describe(name, schemas);
    for (const [at, each] of [path, ...aliases].entries()) {
      const place = (paths[snakePlaceholders(each)] ??= {});
      place[method.toLowerCase()] = at === 0 ? described : aliasOf(described, path, at);
    }
  }
  Object.assign(paths, systemPaths(schemas));
  const groups = [...new Set(Object.values(OPERATIONS).map(({ group }) => group))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lamina',
      version,
      description:
        'Layered memory for AI agents. Request bodies may be in snake_case or camelCase; responses are in snake_case.',
    },
    tags: [
      ...groups.map((name) => ({ name, description: name })),
      { name: 'system', description: 'Health and metrics of the service.' },
    ],
    paths,
    components: { schemas, parameters: PRINCIPAL_PARAMETERS, securitySchemes: SECURITY_SCHEMES },
    security: [{}, ...Object.keys(SECURITY_SCHEMES).map((name): Record<string, readonly []> => ({ [name]: [] }))],
  };
}

/** Ids are unique, and everything else is the same. */
function aliasOf(operation: OpenApiOperation, path: string, at: number): OpenApiOperation {
  const operationId = `${operation.operationId}Alias${at === 1 ? '' : at}`;
  return { ...operation, operationId, 'x-alias-of': snakePlaceholders(path) };
}

function snakePlaceholders(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `{${snakeCase(name)}}`);
}

function describe(name: OperationName, schemas: Components): OpenApiOperation {
  const operation: Operation = OPERATIONS[name];
  const wire = wireOf(name);
  const operationId = camelCase(name);
  const title = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  const { example } = operation;
  const output = (): JsonSchema => addComponent(schemas, `${title}Output`, operation.output, 'output');
  const pathFields: Record<string, true> = Object.fromEntries(
    [...wire.pathParameters.map(({ camelName }) => camelName), operation.http.ifMatch ?? [], operation.http.query ?? []]
      .flat()
      .map((field) => [field, true]),
  );
  return {
    operationId,
    summary: operation.summary,
    ...descriptionOf(operation),
    tags: [operation.group],
    parameters: [
      ...wire.pathParameters.map((parameter) => toParameter(parameter, 'path', schemas)),
      ...wire.query.parameters.map((parameter) => toParameter(parameter, 'query', schemas)),
      ...(operation.http.ifMatch === undefined ? [] : [IF_MATCH]),
      ...(operation.http.lastEventId === undefined ? [] : [LAST_EVENT_ID]),
      ...Object.keys(PRINCIPAL_PARAMETERS).map((key) => ({ $ref: `#/components/parameters/${key}` })),
    ],
    ...(wire.hasBody && {
      requestBody: {
        required: wire.needsBody,
        content: json(
          addComponent(schemas, `${title}Input`, operation.input.omit(pathFields as never), 'input'),
          wire.encodeRequest(example.input).body,
        ),
      },
    }),
    responses: {
      [operation.http.status]: {
        description: 'Done.',
        headers: headersOf(operation.http),
        ...(!operation.empty && {
          content: (operation.isStream ? eventStream : json)(output(), wire.output.encode(example.output)),
        }),
      },
      ...errorResponses(errorsOf(operation), headersOf(operation.http)),
    },
    'x-codeSamples': [{ lang: 'Shell', source: curlExample(name) }],
  };
}

function descriptionOf({ description, http: { aliases = [] } }: Operation): { readonly description?: string } {
  const also = aliases.map((path) => `Also at \`${snakePlaceholders(path)}\`.`);
  const text = [description, ...also].filter((part) => part !== undefined).join(' ');
  return text === '' ? {} : { description: text };
}

function headersOf({ protocol }: HttpBinding): Headers {
  return protocol === 'openspec' ? { ...REQUEST_ID, ...OPENSPEC_HEADERS } : REQUEST_ID;
}

/** `working.set` as `workingSet`: generators of clients make names from it. */
function camelCase(name: OperationName): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function curlExample(name: OperationName): string {
  const { method } = OPERATIONS[name].http;
  const { url, body, ifMatch } = wireOf(name).encodeRequest(OPERATIONS[name].example.input);
  const { isStream }: Operation = OPERATIONS[name];
  const lines = [`curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}'${EXAMPLE_ORIGIN}${url}'`];
  if (ifMatch !== undefined) lines.push(`-H 'If-Match: ${ifMatch}'`);
  if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`);
  return lines.join(' \\\n  ');
}

function json(schema: JsonSchema, example?: unknown): Content {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** OpenAPI cannot describe streams: the schema is that of the data of each event. */
function eventStream(data: JsonSchema, example: unknown): Content {
  const schema: JsonSchema = { type: 'string', contentMediaType: 'application/json', contentSchema: data };
  return { [EVENT_STREAM]: { schema, example: encodeServerEvent(example) } };
}

function toParameter(parameter: Parameter, place: 'path' | 'query', schemas: Components): OpenApiParameter {
  const { description, ...schema } = toWire(parameter.schema, schemas);
  return {
    name: parameter.name,
    in: place,
    required: parameter.isRequired,
    ...(description !== undefined && {
      description: parameter.type === 'json' ? `${description} As JSON text.` : description,
    }),
    schema: parameter.type === 'json' ? { type: 'string', contentMediaType: 'application/json' } : schema,
  };
}

function errorResponses(codes: readonly ErrorCode[], headers: Headers): Record<string, OpenApiResponse> {
  const byStatus: Record<string, OpenApiResponse> = {};
  for (const status of new Set(codes.map((code) => ERROR_TABLE[code].status))) {
    const own = codes.filter((code) => ERROR_TABLE[code].status === status);
    byStatus[status] = {
      description: own.map((code) => `\`${code}\`: ${ERROR_TABLE[code].advice}`).join(' '),
      headers: { ...headers, ...((status === 429 || status === 503) && RETRY_AFTER) },
      content: json(refTo('Error')),
      'x-error-codes': own,
    };
  }
  return byStatus;
}

function systemPaths(schemas: Components): Record<string, Record<string, OpenApiOperation>> {
  const health = addComponent(schemas, 'HealthReport', healthReportSchema, 'output');
  const status: JsonSchema = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };
  const text: Content = { 'text/plain': { schema: { type: 'string' } } };
  const get = (
    operationId: string,
    summary: string,
    content: Content,
    whenNot?: string,
  ): Record<string, OpenApiOperation> => ({
    get: {
      operationId,
      summary,
      tags: ['system'],
      responses: {
        200: { description: 'Yes.', headers: REQUEST_ID, content },
        ...(whenNot !== undefined && { 503: { description: whenNot, headers: REQUEST_ID, content } }),
      },
    },
  });
  return {
    '/live': get('live', 'Whether the process is up.', json(status)),
    '/ready': get('ready', 'Whether requests can be served.', json(status), 'Not now.'),
    '/health': get('health', 'The health of the service and its components.', json(health), 'Unhealthy.'),
    '/metrics': get('metrics', 'Counters and timings in the Prometheus text format.', text),
    '/openapi.json': get('openapi', 'This document.', json({ type: 'object' })),
  };
}
