/** Schemas as a reader sees them: a type in a few words, a table of fields. */

import type { JsonSchema } from '../operations/wire-schema.ts';
import { escapeHtml, inlineMarkdown } from './docs-text.ts';

/** Such as `array of string`, or a link to a named schema. HTML. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (Array.isArray(schema['enum']))
    return schema['enum'].map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  if (schema.items) return `array of ${typeText(schema.items)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return 'object, free';
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return escapeHtml([type, formatText(schema), boundsText(schema)].filter(Boolean).join(', '));
}

function formatText(schema: JsonSchema): string {
  return typeof schema['format'] === 'string' ? schema['format'] : '';
}

function boundsText(schema: JsonSchema): string {
  const low = numberOf(schema['minimum'] ?? schema['minLength']);
  const high = numberOf(schema['maximum'] ?? schema['maxLength']);
  const unit = schema.type === 'string' ? ' characters' : '';
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (low !== undefined) return `at least ${low}${unit}`;
  return high === undefined ? '' : `at most ${high}${unit}`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** HTML; empty for what has no fields. */
export function fieldTable(schema: JsonSchema): string {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, field]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.has(name) ? ' <em>required</em>' : ''}</td>` +
      `<td>${typeText(field)}</td><td>${inlineMarkdown(field.description ?? '')}</td></tr>`,
  );
  if (rows.length === 0) return '';
  const head = '<tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr>';
  return `<div class="scroll"><table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table></div>`;
}
