/** One operation of the HTTP reference: what it takes, what it answers, an example of both, and how it fails. */

import type { ErrorCode } from '../../src/domain/error.ts';
import type { OpenApiOperation, OpenApiParameter } from '../../src/operations/openapi-document.ts';
import type { OperationName } from '../../src/operations/table.ts';
import type { JsonSchema } from '../../src/operations/wire-schema.ts';
import { code, fence, prose, table } from './markdown.ts';
import { fieldTable, typeText, type FieldsOptions } from './schema-text.ts';

export interface DocumentedOperation {
  /** As in the table: `working.set`. */
  readonly name: OperationName;
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** `common` are the codes that every operation may give: they are told once, elsewhere. */
export function renderOperation(
  { name, method, path, operation }: DocumentedOperation,
  options: FieldsOptions,
  common: readonly ErrorCode[],
): string {
  const parts = [
    `## ${code(name)}`,
    `**${prose(operation.summary)}** ${prose(operation.description ?? '')}`.trim(),
    code(`${method} ${path}`),
    parameters(operation, options),
    requestBody(operation, options),
    answer(operation, options),
    ...example(operation),
    errors(operation, common),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function parameters(operation: OpenApiOperation, options: FieldsOptions): string {
  // Those that say who is asking stand in the overview.
  const own = (operation.parameters ?? []).filter((each): each is OpenApiParameter => !('$ref' in each));
  if (own.length === 0) return '';
  const rows = own.map(({ name, in: place, required, description = '', schema }) => [
    `${code(name)}${required ? ' (required)' : ''}`,
    place,
    typeText(schema, options),
    prose(description),
  ]);
  return table(['parameter', 'in', 'type', 'what it is'], rows);
}

function requestBody(operation: OpenApiOperation, options: FieldsOptions): string {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const fields = schema ? fieldTable(schema, options) : '';
  return fields === '' ? '' : `Body:\n\n${fields}`;
}

function answer({ responses }: OpenApiOperation, options: FieldsOptions): string {
  const [status = '', response] = Object.entries(responses)[0] ?? [];
  const [type, content] = Object.entries(response?.content ?? {})[0] ?? [];
  if (type === undefined || !content) return `Answers ${code(status)} without a body.`;
  const isStream = type !== 'application/json';
  const schema = isStream ? (content.schema['contentSchema'] as JsonSchema) : content.schema;
  const told = isStream ? `server-sent events, each with` : 'with';
  const fields = fieldTable(schema, options);
  if (fields === '') return `Answers ${code(status)} with ${typeText(schema, options)}.`;
  return `Answers ${code(status)} ${told}:\n\n${fields}`;
}

/** The ids of an example are made up: a service answers it, perhaps by saying that they are not there. */
function example(operation: OpenApiOperation): string[] {
  const [sample] = operation['x-codeSamples'] ?? [];
  const [response] = Object.values(operation.responses);
  const [type, content] = Object.entries(response?.content ?? {})[0] ?? [];
  const shown = content?.example;
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2);
  return [
    sample ? fence('sh sample', sample.source) : '',
    shown === undefined ? '' : fence(type === 'application/json' ? 'json' : 'text', text),
  ];
}

function errors({ responses }: OpenApiOperation, common: readonly ErrorCode[]): string {
  const own = Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []);
  const told = own.filter((each) => !common.includes(each)).map(code);
  return told.length === 0 ? '' : `Errors of its own: ${told.join(', ')}.`;
}
