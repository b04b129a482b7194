/** Schemas as a reader sees them: a type in a few words, and fields as rows of a table. */

import type { JsonSchema } from '../../src/operations/wire-schema.ts';
import { code, prose, table } from './markdown.ts';

/** How far into objects without a name of their own fields are listed. */
const DEPTH = 3;

/** Where a schema with a name is described; undefined where it is nowhere, and its fields are listed in place. */
export type LinkTo = (name: string) => string | undefined;

export interface FieldsOptions {
  readonly link: LinkTo;
  /** What `$ref` leads to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** A table of fields; empty for what has none. */
export function fieldTable(schema: JsonSchema, options: FieldsOptions): string {
  const rows = fieldRows(resolve(schema, options), options, '', DEPTH);
  return rows.length === 0 ? '' : table(['field', 'type', 'what it is'], rows);
}

/** Such as `array of string`. */
export function typeText(schema: JsonSchema, options: FieldsOptions): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    const link = options.link(name);
    return link === undefined ? typeText(resolve(schema, options), options) : `[${name}](${link})`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((each) => typeText(each, options)))].join(' or ');
  if (schema['const'] !== undefined) return code(JSON.stringify(schema['const']));
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => code(String(value))).join(', ');
  if (schema.items) return `array of ${typeText(schema.items, options)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object' && !schema.properties) {
    return 'object with any keys';
  }
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return [type, formatText(schema), boundsText(schema), defaultText(schema)].filter(Boolean).join(', ');
}

function fieldRows(schema: JsonSchema, options: FieldsOptions, prefix: string, depth: number): string[][] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const title = `${prefix}${name}`;
    const must = required.has(name) ? ' (required)' : '';
    const row = [`${code(title)}${must}`, typeText(field, options), prose(field.description ?? '')];
    return depth === 0 ? [row] : [row, ...innerRows(field, options, title, depth - 1)];
  });
}

/** Of an object, a list of objects, or one that may be null, unless it is described elsewhere. */
function innerRows(field: JsonSchema, options: FieldsOptions, title: string, depth: number): string[][] {
  if (field.$ref !== undefined) {
    if (options.link(nameOf(field.$ref)) !== undefined) return [];
    return innerRows(resolve(field, options), options, title, depth);
  }
  if (field.items) return innerRows(field.items, options, `${title}[]`, depth);
  const [only, ...more] = (field.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only && more.length === 0) return innerRows(only, options, title, depth);
  return fieldRows(field, options, `${title}.`, depth);
}

/** The schema itself, or what its `$ref` leads to. */
function resolve(schema: JsonSchema, { schemas }: FieldsOptions): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
}

function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? '';
}

function formatText(schema: JsonSchema): string {
  return typeof schema['format'] === 'string' ? schema['format'] : '';
}

function boundsText(schema: JsonSchema): string {
  const low = bound(schema['minimum'] ?? schema['minLength']);
  const high = bound(schema['maximum'] ?? schema['maxLength']);
  const unit = schema.type !== 'string' ? '' : (high ?? low) === 1 ? ' character' : ' characters';
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (low !== undefined) return `at least ${low}${unit}`;
  return high === undefined ? '' : `at most ${high}${unit}`;
}

/** The bounds of safe integers are nobody's choice. */
function bound(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function defaultText(schema: JsonSchema): string {
  const value = schema['default'];
  return value === undefined || typeof value === 'object' ? '' : `default ${code(JSON.stringify(value))}`;
}
