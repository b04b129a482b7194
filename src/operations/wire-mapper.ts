/**
 * Renames the fields that a schema names between camelCase (library) and snake_case (HTTP). Compiled once from JSON Schema;
 * free-form parts (metadata, custom filters) are passed through unchanged.
 */

import { snakeCase } from '../domain/spelling.ts';
import { LaminaError } from '../domain/error.ts';
import { dereference, type JsonSchema } from './wire-schema.ts';
import { textOf, type TextField, type TextShape } from './wire-text.ts';

type Spelling = 'name' | 'wireName';

interface Field extends TextField {
  readonly name: string;
  readonly wireName: string;
  /** Absent if there is nothing to rename inside. */
  readonly shape: Shape | undefined;
}

/** What can be renamed inside a value. */
interface Shape extends TextShape {
  /** Under both spellings. */
  readonly fields: Map<string, Field>;
  items: Shape | undefined;
  values: Shape | undefined;
}

/** The schemas of everything inside a value, gathered over its alternatives. */
interface Parts {
  readonly properties: Map<string, JsonSchema[]>;
  readonly items: JsonSchema[];
  readonly values: JsonSchema[];
  isFree: boolean;
}

export interface Mapper {
  /**
   * snake_case to camelCase; camelCase is accepted too. Never changes the input. Unknown fields stay, so that
   * validation can name them. Throws `VALIDATION_FAILED` when a field is given in both spellings.
   */
  decode(value: unknown): unknown;
  /** camelCase to snake_case. Never changes the input. */
  encode(value: unknown): unknown;
  /** The same as JSON text. */
  encodeText(value: unknown): string;
  /** A dotted path such as `identifiers.userId`, spelt for the wire. */
  encodePath(path: string): string;
  /** The inverse of {@link Mapper.encodePath}. */
  decodePath(path: string): string;
}

/** Throws `CONFIGURATION_ERROR` if the schema is ambiguous on the wire. */
export function compileMapper(schema: JsonSchema): Mapper {
  const shape = compileShape(schema, schema, new Map());
  return {
    decode: (value) => (shape ? rename(shape, value, 'name') : value),
    encode: (value) => (shape ? rename(shape, value, 'wireName') : value),
    encodeText: (value) => textOf(shape, value) ?? 'null',
    encodePath: (path) => renamePath(shape, path, 'wireName'),
    decodePath: (path) => renamePath(shape, path, 'name'),
  };
}

/** Schemas may refer to themselves, so a shape is known before it is filled. */
function compileShape(schema: JsonSchema, root: JsonSchema, known: Map<JsonSchema, Shape>): Shape | undefined {
  const target = dereference(schema, root);
  const earlier = known.get(target);
  if (earlier) return earlier;
  const shape: Shape = { fields: new Map(), items: undefined, values: undefined };
  known.set(target, shape);
  const parts: Parts = { properties: new Map(), items: [], values: [], isFree: false };
  collect(parts, target, root);
  for (const [name, schemas] of parts.properties) addField(shape, name, compileShape(oneOf(schemas), root, known));
  if (parts.items.length > 0) shape.items = compileShape(oneOf(parts.items), root, known);
  if (parts.values.length > 0) shape.values = compileShape(oneOf(parts.values), root, known);
  if (parts.isFree && shape.fields.size > 0) {
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'A schema that is either free JSON or an object has no one wire form.',
    );
  }
  return shape.fields.size > 0 || shape.items || shape.values ? shape : undefined;
}

/** Alternatives are overlaid: a field is renamed by whichever alternative names it. */
function collect(parts: Parts, schema: JsonSchema, root: JsonSchema): void {
  for (const alternative of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    collect(parts, dereference(alternative, root), root);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    parts.properties.set(name, [...(parts.properties.get(name) ?? []), property]);
  }
  if (schema.items) parts.items.push(schema.items);
  const extra = schema.additionalProperties;
  if (typeof extra === 'object') parts.values.push(extra);
  if (schema.type === 'object' && !schema.properties && extra !== false) parts.isFree = true;
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  return only && schemas.length === 1 ? only : { anyOf: schemas };
}

function addField(shape: Shape, name: string, inner: Shape | undefined): void {
  const wireName = snakeCase(name);
  const earlier = shape.fields.get(wireName);
  if (earlier) {
    throw new LaminaError('CONFIGURATION_ERROR', `"${name}" and "${earlier.name}" are both "${wireName}" on the wire.`);
  }
  const field: Field = { name, wireName, label: `${JSON.stringify(wireName)}:`, shape: inner };
  shape.fields.set(name, field).set(wireName, field);
}

function rename(shape: Shape, value: unknown, spelling: Spelling): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.map((item) => rename(items, item, spelling)) : value;
  }
  return renameFields(shape, value as Record<string, unknown>, spelling);
}

/** Far more than any object with named fields has: further ones are not checked individually. */
const MOST_FIELDS = 1000;

function renameFields(shape: Shape, value: Record<string, unknown>, spelling: Spelling): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  const keys = Object.keys(value);
  if (keys.length > MOST_FIELDS && shape.values === undefined) refuseMany(keys.length);
  for (const key of keys) {
    const field = shape.fields.get(key);
    const inner = field ? field.shape : shape.values;
    const content = inner ? rename(inner, value[key], spelling) : value[key];
    if (field) {
      const name = field[spelling];
      if (key !== name && Object.hasOwn(value, name)) refuseBoth(field);
      renamed[name] = content;
    } else if (key === '__proto__') {
      // Plain assignment would set the prototype; as an own field, validation sees and refuses it.
      Object.defineProperty(renamed, key, { value: content, enumerable: true, configurable: true, writable: true });
    } else {
      renamed[key] = content;
    }
  }
  return renamed;
}

function refuseMany(count: number): never {
  throw new LaminaError(
    'VALIDATION_FAILED',
    `An object that has names of its own for its fields has ${count} of them.`,
    {
      details: { problems: [{ path: '', message: `${count} fields` }] },
    },
  );
}

function refuseBoth({ name, wireName }: Field): never {
  throw new LaminaError('VALIDATION_FAILED', `"${wireName}" and "${name}" are the same field; give one of them.`, {
    details: { problems: [{ path: wireName, message: `given twice, also as "${name}"` }] },
  });
}

function renamePath(shape: Shape | undefined, path: string, spelling: Spelling): string {
  let current = shape;
  return path
    .split('.')
    .map((segment) => {
      const field = current?.fields.get(segment);
      current = field ? field.shape : (current?.items ?? current?.values);
      return field ? field[spelling] : segment;
    })
    .join('.');
}
