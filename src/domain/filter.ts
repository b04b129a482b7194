/** Filters on what is attached to an entry. All given conditions must hold. */

import { z } from 'zod';
import { SOURCE_TYPES } from './kind.ts';

export const metadataFilterSchema = z.strictObject({
  tags: z.array(z.string().min(1)).min(1).max(100).optional().describe('Any of these tags.'),
  sourceType: z.enum(SOURCE_TYPES).optional().describe('The type of the source.'),
  hasKnowledgePointer: z.boolean().optional().describe('Only (or only not) entries that stand for a knowledge item.'),
  custom: z.record(z.string(), z.unknown()).optional().describe('Metadata fields and the values that they must equal.'),
});

export type MetadataFilter = z.output<typeof metadataFilterSchema>;
