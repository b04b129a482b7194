/** One operation of the documentation page. */

import { ERROR_TABLE } from '../domain/error.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../operations/openapi-document.ts';
import type { JsonSchema } from '../operations/wire-schema.ts';
import { fieldTable, typeText } from './docs-schema.ts';
import { escapeHtml, inlineMarkdown } from './docs-text.ts';

export interface DocumentedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

export function renderOperation({ path, method, operation }: DocumentedOperation, document: OpenApiDocument): string {
  const id = escapeHtml(operation.operationId);
  const description = operation.description === undefined ? '' : `<p>${inlineMarkdown(operation.description)}</p>`;
  return `<section id="${id}">
<h2><a href="#${id}">${id}</a></h2>
<p class="route"><b class="method">${escapeHtml(method)}</b> <code>${escapeHtml(path)}</code></p>
<p><strong>${inlineMarkdown(operation.summary)}</strong></p>
${description}
${parameters(operation, document)}${requestBody(operation, document)}
${samples(operation)}${answer(operation)}${errors(operation)}
</section>`;
}

function parameters(operation: OpenApiOperation, document: OpenApiDocument): string {
  const all = (operation.parameters ?? []).flatMap((parameter): OpenApiParameter[] => {
    if (!('$ref' in parameter)) return [parameter];
    const shared = document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
    return shared ? [shared] : [];
  });
  if (all.length === 0) return '';
  const rows = all.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required ? ' <em>required</em>' : ''}</td>` +
      `<td>${place}</td><td>${typeText(schema)}</td><td>${inlineMarkdown(description)}</td></tr>`,
  );
  return table('Parameters', ['Name', 'In', 'Type', 'Description'], rows);
}

function requestBody(operation: OpenApiOperation, document: OpenApiDocument): string {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema ? `<h3>Body</h3>${fieldTable(resolve(schema, document))}` : '';
}

function resolve(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  return schema.$ref === undefined
    ? schema
    : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);
}

function samples(operation: OpenApiOperation): string {
  const blocks = (operation['x-codeSamples'] ?? []).map(
    ({ source }) => `<pre><code>${escapeHtml(source)}</code></pre>`,
  );
  return blocks.length === 0 ? '' : `<h3>Example</h3>${blocks.join('')}`;
}

function answer(operation: OpenApiOperation): string {
  const [status, response] = Object.entries(operation.responses)[0] ?? [];
  if (status === undefined || !response) return '';
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  const example = content?.example;
  const text = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
  const shown = example === undefined ? '' : `<pre><code>${escapeHtml(text)}</code></pre>`;
  const told = (content?.schema['contentSchema'] as JsonSchema | undefined) ?? content?.schema;
  const schema = told?.$ref === undefined ? '' : ` ${typeText(told)}`;
  const body = type === undefined ? 'no body' : `<code>${escapeHtml(type)}</code>${schema}`;
  return `<h3>Answer</h3><p><b>${status}</b> ${body}</p>${shown}`;
}

function errors(operation: OpenApiOperation): string {
  const rows = Object.entries(operation.responses).flatMap(([status, response]) =>
    (response['x-error-codes'] ?? []).map(
      (code) =>
        `<tr><td>${status}</td><td><code>${code}</code></td><td>${ERROR_TABLE[code].retryable ? 'yes' : 'no'}</td>` +
        `<td>${inlineMarkdown(ERROR_TABLE[code].advice)}</td></tr>`,
    ),
  );
  return rows.length === 0 ? '' : table('Errors', ['Status', 'Code', 'Retry helps', 'What to do'], rows);
}

function table(title: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = `<thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody>`;
  return `<h3>${title}</h3><div class="scroll"><table>${body}</table></div>`;
}
