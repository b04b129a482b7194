/** Filters on what is attached to an entry. All given conditions must hold. */

import { z } from 'zod';
import { SOURCE_TYPES } from './kind.ts';

/** More than anyone asks for, few enough for one statement. */
const MAX_CUSTOM_FIELDS = 32;

export const metadataFilterSchema = z.strictObject({
  tags: z.array(z.string().min(1)).min(1).max(100).optional().describe('Any of these tags.'),
  sourceType: z.enum(SOURCE_TYPES).optional().describe('The type of the source.'),
  hasKnowledgePointer: z
    .boolean()
    .optional()
    .describe('Only entries that represent a knowledge item (true), or only others (false).'),
  custom: z
    .record(z.string(), z.unknown())
    .refine((fields) => Object.keys(fields).length <= MAX_CUSTOM_FIELDS, `at most ${MAX_CUSTOM_FIELDS} fields`)
    .optional()
    .describe('Metadata fields and the values that they must equal.'),
});

export type MetadataFilter = z.output<typeof metadataFilterSchema>;
