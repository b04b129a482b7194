/** The documentation as one page of HTML, rendered from the OpenAPI document: no script, nothing external. */

import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../operations/openapi-document.ts';
import type { JsonSchema } from '../operations/wire-schema.ts';
import { renderOperation, type DocumentedOperation } from './docs-operation.ts';
import { fieldTable } from './docs-schema.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { escapeHtml, inlineMarkdown } from './docs-text.ts';

export function renderDocs(document: OpenApiDocument): {
  readonly html: string;
  readonly contentSecurityPolicy: string;
} {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DocumentedOperation => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  // An operation that has several paths is shown once, and says so.
  const entries = all.filter(({ operation }) => operation['x-alias-of'] === undefined);
  const styleHash = createHash('sha256').update(DOCS_STYLE).digest('base64');
  return {
    html: page(document, entries),
    contentSecurityPolicy:
      `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; ` +
      `frame-ancestors 'none'`,
  };
}

function page(document: OpenApiDocument, entries: readonly DocumentedOperation[]): string {
  const { title, version, description } = document.info;
  const schemas = Object.entries(document.components.schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} ${escapeHtml(version)}: HTTP interface</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<nav aria-label="Contents">${contents(document, entries)}</nav>
<main>
<header><h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${inlineMarkdown(description)}</p>
<p>The same as data: <a href="/openapi.json">/openapi.json</a>.</p></header>
${entries.map((entry) => renderOperation(entry, document)).join('\n')}
<h2 id="schemas">Schemas</h2>
${schemas.map(renderSchema).join('\n')}
</main>
</body>
</html>
`;
}

function renderSchema([name, schema]: [string, JsonSchema]): string {
  const description = schema.description === undefined ? '' : `<p>${inlineMarkdown(schema.description)}</p>`;
  return `<section id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${description}${fieldTable(schema)}</section>`;
}

function contents(document: OpenApiDocument, entries: readonly DocumentedOperation[]): string {
  const groups = document.tags.map(({ name, description }) => {
    const items = entries
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, operation: { operationId } }) => {
        const id = escapeHtml(operationId);
        return `<li><a href="#${id}"><b class="method">${escapeHtml(method)}</b> ${id}</a></li>`;
      });
    return `<p>${escapeHtml(description)}</p><ul>${items.join('')}</ul>`;
  });
  return `${groups.join('')}<p><a href="#schemas">Schemas</a></p>`;
}
