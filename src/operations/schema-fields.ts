/** The fields within a schema. */

import { z } from 'zod';

/** The names of the fields that an object at this path may have; none if it is not an object with fixed fields. */
export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let within = unwrapped(schema);
  for (const key of path) {
    const inner = innerOf(within, key);
    if (inner === undefined) return [];
    within = unwrapped(inner);
  }
  return within instanceof z.ZodObject ? Object.keys(within.shape) : [];
}

function innerOf(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  return schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, z.ZodType>)[key] : undefined;
}

/** Whether or not it may be left out. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
    inner = inner.unwrap() as z.ZodType;
  }
  return inner;
}
