/** A tool's input as a JSON Schema that OpenAI's strict mode takes. */

import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What every service with strict mode accepts. Some refuse bounds and patterns; descriptions state the bounds, and the tool
 * enforces them.
 */
const KEPT = ['type', 'description', 'enum', 'const', 'anyOf', 'items'] as const;

export interface ModelSchema {
  readonly schema: JsonSchema;
  /** False if the input has fields without fixed names, which strict mode does not support. */
  readonly isStrict: boolean;
}

/** Strict where possible; else as it is. */
export function modelSchema(input: z.ZodObject): ModelSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const schema = strict(plain);
  return schema === undefined ? { schema: plain, isStrict: false } : { schema, isStrict: true };
}

/** Every property required, optional ones nullable, and no others allowed; undefined if that is impossible. */
function strict(schema: JsonSchema): JsonSchema | undefined {
  const kept = Object.fromEntries(KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
  const alternatives = kept['anyOf'] === undefined ? undefined : (kept['anyOf'] as JsonSchema[]).map(strict);
  const items = kept['items'] === undefined ? undefined : strict(kept['items'] as JsonSchema);
  if (alternatives?.includes(undefined) || ('items' in kept && items === undefined)) return undefined;
  if (schema['type'] === 'object') return strictObject(schema);
  if (!('type' in kept || 'anyOf' in kept || 'enum' in kept || 'const' in kept)) return undefined;
  return { ...kept, ...(alternatives && { anyOf: alternatives }), ...(items && { items }) };
}

function strictObject(schema: JsonSchema): JsonSchema | undefined {
  if (schema['additionalProperties'] !== false) return undefined;
  const required = new Set(schema['required'] as string[] | undefined);
  const properties: Record<string, JsonSchema> = {};
  for (const [name, given] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
    const property = strict(given);
    if (property === undefined) return undefined;
    properties[name] = required.has(name) ? property : orNull(property);
  }
  const { description } = schema;
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema as { type?: string | string[]; enum?: unknown[] };
  if (type === undefined || 'const' in schema) {
    const { description, ...rest } = schema;
    return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
  }
  return { ...schema, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }) };
}

/**
 * The arguments of a model without the nulls that strict mode requires for omitted fields. Anything else that does not fit
 * is left to validation.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return withoutNulls(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutNulls(schema.element as z.ZodType, item));
  }
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, given]: [string, unknown]) => {
    const field = schema.shape[name] as z.ZodType | undefined;
    if (field === undefined) return [[name, given]];
    if (given === null && field instanceof z.ZodOptional && !field.safeParse(null).success) return [];
    return [[name, withoutNulls(field, given)]];
  });
  return Object.fromEntries(entries) as unknown;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
