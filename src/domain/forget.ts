/** What removing entries asks for and what it answers. */

import { z } from 'zod';
import { entryId, identifiersSchema, isoTime, layerSchema } from './entry.ts';
import { metadataFilterSchema } from './filter.ts';

export const forgetInputSchema = z.strictObject({
  ids: z.array(entryId).min(1).optional().describe('Only these.'),
  cutoffDate: isoTime.optional().describe('Only what was created before this time.'),
  layer: layerSchema.optional().describe('Only this layer.'),
  identifiers: identifiersSchema.optional().describe('Only the layers that these open; default your own.'),
  filter: metadataFilterSchema.optional(),
  onlyUnreadable: z
    .boolean()
    .optional()
    .describe('Only those that are sealed and can no longer be opened, which no list shows. Default false.'),
});

export type ForgetInput = z.output<typeof forgetInputSchema>;

export const forgetOutputSchema = z.strictObject({
  deletedCount: z.int().describe('Memories, plus the memories and facts made from them.'),
});

export const deleteInputSchema = z.strictObject({
  id: entryId,
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
});

export type DeleteInput = z.output<typeof deleteInputSchema>;

export const deleteOutputSchema = z.strictObject({ success: z.boolean() });
