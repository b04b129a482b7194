/** A schema as the protocol lists it: JSON Schema, made once. */

import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { jsonSchemaOf, type JsonSchema } from '../operations/wire-schema.ts';

type Direction = 'input' | 'output';

const made = new WeakMap<z.ZodType, Map<Direction, JsonSchema>>();

/**
 * Accepts every value: input is validated where the tool runs, so that a bad input is reported like every other mistake,
 * and output is our own. Over HTTP each request has its own server, which would otherwise build each schema again.
 */
export function listedSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  return {
    '~standard': {
      version: 1,
      vendor: 'lamina',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => listed(schema, 'input'), output: () => listed(schema, 'output') },
    },
  };
}

/** The same object each time: it must not be mutated. */
function listed(schema: z.ZodObject, direction: Direction): Record<string, unknown> {
  const directions = made.get(schema) ?? new Map<Direction, JsonSchema>();
  made.set(schema, directions);
  const json = directions.get(direction) ?? jsonSchemaOf(schema, direction);
  directions.set(direction, json);
  return json;
}
