/** The HTTP interface: an overview, a page for each group of operations, and the schemas that they share. */

import { ERROR_TABLE, type ErrorCode } from '../../src/domain/error.ts';
import { openApiDocument, type OpenApiDocument, type OpenApiOperation } from '../../src/operations/openapi-document.ts';
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts';
import type { JsonSchema } from '../../src/operations/wire-schema.ts';
import { renderOperation, type DocumentedOperation } from './http-operation.ts';
import { code, fence, fileNameOf, page, prose, table } from './markdown.ts';
import { operationLink } from './operation-link.ts';
import { fieldTable, type FieldsOptions } from './schema-text.ts';

const FOLDER = 'docs/reference/http';

type Group = [string, DocumentedOperation[]];

/** Written pages of the same subject, by group. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  Entries: ['recall', 'lifecycle', 'as-of'],
  'Recall receipts': ['receipts'],
  Turns: ['turn-context'],
  Conversations: ['extraction'],
  'Agent items': ['effect'],
  'Agent working memory': ['tiers'],
  'Working memory': ['tiers'],
  'Short-term memory': ['tiers'],
  Router: ['tiers'],
  Plans: ['concurrency'],
  Principal: ['authentication'],
  Pools: ['pools'],
  Workflows: ['pools'],
  Facts: ['facts'],
  Events: ['events'],
  Administration: ['authentication'],
  Contexts: ['contexts'],
  'Context entries': ['contexts'],
  'Context snapshots': ['contexts'],
  Maintenance: ['maintenance', 'lifecycle'],
  Inspection: ['inspection'],
  Knowledge: ['knowledge'],
  OpenSpec: ['openspec'],
};

/** Every page by its path. The version is left out: pages change when the interface does. */
export function httpPages(): [string, string][] {
  const document = openApiDocument('');
  const operations = operationsOf(document);
  const shared = sharedSchemas(document);
  const common = commonCodes(operations);
  const groups = Object.entries(Object.groupBy(operations, ({ group }) => group)) as Group[];
  const options = fieldsOptions(document, shared);
  return [
    [`${FOLDER}/index.md`, overview(document, groups, common)],
    ...groups.map(([group, own]): [string, string] => [
      `${FOLDER}/${fileNameOf(group)}.md`,
      groupPage(group, own, options, common),
    ]),
    [`${FOLDER}/schemas.md`, schemasPage(document, shared, options)],
  ];
}

/** Each once, under its own path. */
function operationsOf(document: OpenApiDocument): DocumentedOperation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const own = all.filter(({ operation }) => operation['x-alias-of'] === undefined);
  const byId = new Map(own.map((each) => [each.operation.operationId, each]));
  return (Object.keys(OPERATIONS) as OperationName[]).flatMap((name) => {
    const found = byId.get(name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()));
    return found ? [{ ...found, name, group: OPERATIONS[name].group }] : [];
  });
}

/** Those that others refer to. An operation's own input and output stand with the operation. */
function sharedSchemas({ components: { schemas } }: OpenApiDocument): Set<string> {
  const referred = JSON.stringify(schemas).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return new Set(['Error', ...[...referred].map(([, name = '']) => name)]);
}

function fieldsOptions({ components: { schemas } }: OpenApiDocument, shared: ReadonlySet<string>): FieldsOptions {
  return {
    schemas,
    link: (name) => (shared.has(name) ? `schemas.md#${name.toLowerCase()}` : undefined),
  };
}

function overview(document: OpenApiDocument, groups: readonly Group[], common: readonly ErrorCode[]): string {
  const lists = groups.map(([group, operations]) => {
    const rows = operations.map(({ name, method, path, operation }) => [
      `[${code(name)}](${operationLink(name)})`,
      code(`${method} ${path}`),
      prose(operation.summary),
    ]);
    return `## ${group}\n\n${table(['operation', 'request', 'what it does'], rows)}`;
  });
  return page(
    'HTTP interface',
    `${document.info.description} The same stands at \`/docs\` of a running service, and as an OpenAPI 3.1 document at ` +
      '`/openapi.json`. Every operation is also a method of the library, with the same input in camelCase: ' +
      '[library](../library.md).',
    '## Who is asking',
    'With authentication a token or an API key says it: [authentication](../../authentication.md). Without, the service ' +
      'listens on loopback only and these headers do:',
    headersTable(document),
    '## Errors',
    'Every error has the shape of [Error](schemas.md#error). Any operation may answer with the codes below; each says ' +
      'which others it has. [Errors](../../errors.md) tells what to do about each.',
    table(
      ['code', 'status'],
      common.map((each) => [code(each), String(ERROR_TABLE[each].status)]),
    ),
    ...lists,
    '## How the service is',
    table(
      ['request', 'what it answers'],
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { tags }]) => tags.includes('system'))
          .map(([method, { summary }]) => [code(`${method.toUpperCase()} ${path}`), prose(summary)]),
      ),
    ),
  );
}

function headersTable({ components: { parameters } }: OpenApiDocument): string {
  const rows = Object.values(parameters).map(({ name, description = '' }) => [code(name), prose(description)]);
  return table(['header', 'what it is'], rows);
}

/** Those that every operation may give. */
function commonCodes(operations: readonly DocumentedOperation[]): ErrorCode[] {
  const all = operations.map(({ operation }) => new Set(codesOf(operation)));
  return (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((each) => all.every((codes) => codes.has(each)));
}

function codesOf({ responses }: OpenApiOperation): string[] {
  return Object.values(responses).flatMap((response) => [...(response['x-error-codes'] ?? [])]);
}

function groupPage(
  group: string,
  operations: readonly DocumentedOperation[],
  options: FieldsOptions,
  common: readonly ErrorCode[],
): string {
  const guides = (GUIDES[group] ?? []).map((name) => `[${name}](../../${name}.md)`);
  return page(
    group,
    [
      guides.length === 0 ? '' : `In words: ${guides.join(', ')}.`,
      'Who is asking, and the errors that any operation may give: [overview](index.md).',
    ]
      .filter(Boolean)
      .join(' '),
    ...operations.map((each) => renderOperation(each, options, common)),
  );
}

function schemasPage(document: OpenApiDocument, shared: ReadonlySet<string>, options: FieldsOptions): string {
  const own = Object.entries(document.components.schemas).filter(([name]) => shared.has(name));
  const sections = own
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([name, schema]) => [`## ${name}`, prose(schema.description ?? ''), bodyOf(schema, options)].filter(Boolean));
  return page('Schemas', 'What more than one operation takes or gives.', ...sections.flat());
}

function bodyOf(schema: JsonSchema, options: FieldsOptions): string {
  // In the page itself a link needs no file.
  const here: FieldsOptions = { ...options, link: (name) => options.link(name)?.replace('schemas.md', '') };
  const fields = fieldTable(schema, here);
  return fields === '' ? fence('json', JSON.stringify(schema, null, 2)) : fields;
}
