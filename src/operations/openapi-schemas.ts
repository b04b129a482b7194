/** The schemas of the operations as OpenAPI components: snake_case, with the recurring ones by name. */

import { snakeCase } from '../domain/spelling.ts';
import { z } from 'zod';
import { ERROR_TABLE } from '../domain/error.ts';
import { entrySchema, identifiersSchema, knowledgePointerSchema, sourceSchema } from '../domain/entry.ts';
import { eventSchema } from '../domain/event.ts';
import { metadataFilterSchema } from '../domain/filter.ts';
import { knowledgeEntrySchema } from '../domain/openspec.ts';
import { planContextSchema } from '../domain/plan-context.ts';
import { planSchema } from '../domain/plan.ts';
import { searchResultSchema, signalsSchema } from '../domain/recall.ts';
import { versionSchema } from '../domain/browse.ts';
import { IDENTIFIER_NAMES } from '../domain/scope.ts';
import { sessionSchema } from '../domain/session.ts';
import { taskContextSchema } from '../domain/task-context.ts';
import { addInputSchema, addOutputSchema } from '../domain/remember.ts';
import type { JsonSchema } from './wire-schema.ts';

/** Schemas that are used in more than one place. */
const NAMED: readonly (readonly [string, z.ZodType])[] = [
  ['Memory', entrySchema],
  ['Identifiers', identifiersSchema],
  ['Source', sourceSchema],
  ['KnowledgePointer', knowledgePointerSchema],
  ['MetadataFilter', metadataFilterSchema],
  ['SearchResult', searchResultSchema],
  ['Signals', signalsSchema],
  ['Version', versionSchema],
  ['AddInput', addInputSchema],
  ['AddOutput', addOutputSchema],
  ['TaskContext', taskContextSchema],
  ['Plan', planSchema],
  ['PlanContext', planContextSchema],
  ['Session', sessionSchema],
  ['Event', eventSchema],
  ['KnowledgeEntry', knowledgeEntrySchema],
];

export type Components = Record<string, JsonSchema>;

export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'The shape of every error.',
  properties: {
    code: { type: 'string', enum: Object.keys(ERROR_TABLE), description: 'Stable: branch on this.' },
    message: { type: 'string', description: 'For people.' },
    operation: { type: 'string', description: 'The operation that failed.' },
    details: { type: 'object', additionalProperties: {}, description: 'What went wrong, as data.' },
    retryable: { type: 'boolean', description: 'Whether the same call may succeed if repeated later.' },
    request_id: { type: 'string', description: 'The same as the X-Request-ID header.' },
  },
  required: ['code', 'message', 'operation', 'retryable', 'request_id'],
  additionalProperties: false,
};

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Adds the schema to the components under `name`, with everything that it refers to; returns a reference. */
export function addComponent(
  components: Components,
  name: string,
  schema: z.ZodType,
  io: 'input' | 'output',
): JsonSchema {
  const names = new Map<unknown, string>(NAMED.map(([known, value]) => [value, known]));
  const plain = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const title = names.get(zodSchema);
      if (title !== undefined) jsonSchema.title = title;
    },
  }) as JsonSchema;
  const { $schema: _, ...bare } = plain;
  if (typeof bare['title'] === 'string') return toWire(bare, components);
  return toWire({ ...bare, title: name }, components);
}

/** Renames properties, lifts titled schemas into the components, drops what says nothing to a reader. */
export function toWire(schema: JsonSchema, components: Components): JsonSchema {
  const { title, description: text, ...rest } = schema;
  const description = text === undefined ? undefined : onWire(text);
  if (typeof title !== 'string')
    return { ...(description !== undefined && { description }), ...rewrite(rest, components) };
  const own = NAMED.find(([name]) => name === title)?.[1].description;
  const general = own === undefined ? description : onWire(own);
  components[title] ??= { ...rewrite(rest, components), ...(general !== undefined && { description: general }) };
  return { ...refTo(title), ...(description !== undefined && description !== general && { description }) };
}

/** Descriptions are written once, in the library's spelling. */
function onWire(text: string): string {
  return IDENTIFIER_NAMES.reduce((spelt, name) => spelt.replaceAll(name, snakeCase(name)), text);
}

function rewrite(schema: JsonSchema, components: Components): JsonSchema {
  const inside = (inner: JsonSchema): JsonSchema => toWire(inner, components);
  const { pattern, minimum, maximum, propertyNames: _, ...rest } = schema;
  return {
    ...rest,
    // A format says the same as its pattern; the bounds of safe integers say nothing.
    ...(pattern !== undefined && rest['format'] === undefined && { pattern }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(rest.properties && {
      properties: Object.fromEntries(
        Object.entries(rest.properties).map(([key, value]) => [snakeCase(key), inside(value)]),
      ),
    }),
    ...(rest.required && { required: rest.required.map(snakeCase) }),
    ...(rest.items && { items: inside(rest.items) }),
    ...(rest.anyOf && { anyOf: rest.anyOf.map(inside) }),
    ...(typeof rest.additionalProperties === 'object' && { additionalProperties: inside(rest.additionalProperties) }),
  };
}
