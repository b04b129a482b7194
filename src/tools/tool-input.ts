/** Fields that several tools take, described for a language model. */

import { z } from 'zod';
import { entryId, isoTime } from '../domain/entry.ts';
import { LAYERS } from '../domain/scope.ts';

export const layerField = z
  .enum(LAYERS)
  .optional()
  .describe(
    'Whose memory: "user" for what concerns only this user (the default); a group such as "project" or "team" only if ' +
      'everyone in it should know. Layers that this conversation does not open are refused.',
  );

export const tagsField = z
  .array(z.string().min(1).max(100))
  .max(10)
  .optional()
  .describe('A few lower-case keywords, at most 10.');

export const importanceField = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe('0 to 1; default 0.5. Above 0.8 only for what must not be missed.');

/** Validated here, under the field name that the model knows. A format would put a long pattern into the schema. */
export const timeField = z
  .string()
  .min(1)
  .max(40)
  .refine((time) => isoTime.safeParse(time).success, 'no ISO 8601 time, such as 2026-11-15T09:30:00Z');

/** A format would put a long pattern into the schema that a model pays for. */
export const idField = z
  .string()
  .refine((id) => entryId.safeParse(id).success, 'no id: take one that a memory tool has given you');
