/** The operations of a running service, read from the document that it serves, and their answers held against it. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../src/operations/wire-schema.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../../src/operations/openapi-document.ts';

export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** In the path and in the query. */
  readonly parameters: readonly OpenApiParameter[];
  readonly takesVersion: boolean;
  readonly body: JsonSchema | undefined;
  readonly isStream: boolean;
}

export interface ApiDescription {
  readonly operations: readonly ApiOperation[];
  lookUp(reference: string): JsonSchema;
  /** What is wrong with the body of an answer, by the schema that the document has for it; undefined where nothing is. */
  misfit(operation: ApiOperation, status: number, body: unknown): string | undefined;
}

/** Seconds with a fraction and UTC: stricter than the format, and what is promised. */
const TIME = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DOCUMENT = 'document';

export async function describedBy(url: string): Promise<ApiDescription> {
  const answer = await fetch(`${url}/openapi.json`);
  const document = (await answer.json()) as OpenApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat('date-time', TIME).addFormat('uuid', UUID);
  ajv.addSchema({ ...document, $id: DOCUMENT }, DOCUMENT);
  const lookUp = (reference: string): JsonSchema =>
    document.components.schemas[reference.replace('#/components/schemas/', '')] ?? {};
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation)),
  );
  return { operations, lookUp, misfit: (operation, status, body) => misfitOf(ajv, document, operation, status, body) };
}

function operationOf(path: string, method: string, operation: OpenApiOperation): ApiOperation {
  const parameters = (operation.parameters ?? []).filter((each) => 'name' in each);
  const [content] = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => Object.keys(response.content ?? {})[0]);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    parameters: parameters.filter((each) => each.in !== 'header'),
    takesVersion: parameters.some(({ name }) => name === 'If-Match'),
    body: operation.requestBody?.content['application/json']?.schema,
    isStream: content === 'text/event-stream',
  };
}

function misfitOf(
  ajv: Ajv2020,
  document: OpenApiDocument,
  { path, method }: ApiOperation,
  status: number,
  body: unknown,
): string | undefined {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (response === undefined) return `the document knows no ${status} here`;
  const [type] = Object.keys(response.content ?? {});
  if (type === undefined) return body === undefined ? undefined : 'a body where there should be none';
  if (type !== 'application/json') return undefined;
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
  const spelt = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`${DOCUMENT}#/${spelt}`);
  if (validate === undefined) return 'the document has no schema for this answer';
  return validate(body) === true ? undefined : ajv.errorsText(validate.errors);
}
