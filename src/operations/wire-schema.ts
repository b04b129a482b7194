/** The part of JSON Schema that the wire form is made from, and the two spellings of a name. */

import { z } from 'zod';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** A schema as JSON Schema, in camelCase. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io }) as JsonSchema;
}

/** The schema itself, or what its `$ref` into the same document leads to. */
export function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let resolved = schema;
  while (resolved.$ref !== undefined) {
    const name = resolved.$ref.replace('#/$defs/', '');
    resolved = resolved.$ref === '#' ? root : (root.$defs?.[name] ?? {});
  }
  return resolved;
}
