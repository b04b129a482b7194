/** What reading entries without a query asks for and what it answers. */

import { z } from 'zod';
import { SHELVES } from './access.ts';
import { entryId, entrySchema, givenIdentifiersSchema, isoTime, kindSchema, layerSchema } from './entry.ts';
import { metadataFilterSchema } from './filter.ts';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** A moment that has passed. */
export const asOfTime = isoTime.optional();

export const listInputSchema = z.strictObject({
  layer: layerSchema,
  identifiers: givenIdentifiersSchema,
  kinds: z.array(kindSchema).min(1).optional().describe('Default: all kinds.'),
  status: z
    .enum(SHELVES)
    .optional()
    .describe('Active, archived or both (all); or quarantined, waiting for review. Default active.'),
  cursor: z.string().min(1).max(1024).optional().describe('Where the last page ended.'),
  limit: z.int().min(1).max(MAX_PAGE_SIZE).optional().describe(`Default ${DEFAULT_PAGE_SIZE}.`),
  filter: metadataFilterSchema.optional(),
  externalIds: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(MAX_PAGE_SIZE)
    .optional()
    .describe('Only memories with one of these external ids. An index lookup, however much the layer holds.'),
  asOf: asOfTime.describe('What existed and held at that moment, as it stood then. Default: now.'),
});

export type ListInput = z.output<typeof listInputSchema>;

export const listOutputSchema = z.strictObject({
  memories: z.array(entrySchema),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
  totalCount: z.int().describe('On all pages, counted when the first was read.'),
});

export type ListOutput = z.output<typeof listOutputSchema>;

export const idInputSchema = z.strictObject({ id: entryId });

export const getInputSchema = idInputSchema.extend({
  includeEmbedding: z.boolean().optional(),
  asOf: asOfTime.describe('The version that was current at that moment. Default: the current one.'),
});

export type GetInput = z.output<typeof getInputSchema>;

export const getOutputSchema = z.strictObject({ memory: entrySchema.nullable() });

export const versionsInputSchema = idInputSchema.extend({
  asOf: asOfTime.describe('The history as it was at that moment. Default: all of it.'),
});

export type VersionsInput = z.output<typeof versionsInputSchema>;

export const versionSchema = z.strictObject({
  memory: entrySchema.describe('The entry as it stood.'),
  replacedAt: isoTime.nullable().describe('When the next version replaced it; null for the current one.'),
});

export type Version = z.output<typeof versionSchema>;

export const versionsOutputSchema = z.strictObject({ versions: z.array(versionSchema).describe('Newest first.') });
