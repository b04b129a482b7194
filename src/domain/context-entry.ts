/** The entries of a context: under keys, typed, with a history of who edited them. */

import { z } from 'zod';
import { SHELVES } from './access.ts';
import { RECENCY_HALF_LIFE_DAYS, recency } from './decay.ts';
import {
  entryFieldsSchema,
  entryId,
  entrySchema,
  isoTime,
  metadataSchema,
  pathName,
  writtenMetadataSchema,
  type Entry,
} from './entry.ts';
import { metadataFilterSchema } from './filter.ts';
import { page, paged } from './record.ts';
import { DEFAULT_SEARCH_LIMIT, passedCountSchema, searchInputSchema, searchResultSchema } from './recall.ts';
import { addInputSchema, WRITE_STATUSES } from './remember.ts';

const CONTEXT_ENTRY_TYPES = [
  'fact',
  'observation',
  'reflection',
  'decision',
  'plan',
  'tool_output',
  'conversation_summary',
] as const;
const CONTEXT_SOURCE_TYPES = ['agent', 'user', 'system', 'tool', 'workflow'] as const;
const CONTEXT_MEMORY_TYPES = ['factual', 'experiential', 'working'] as const;

export type ContextSourceType = (typeof CONTEXT_SOURCE_TYPES)[number];

/** The metadata fields for what only context entries have: plain fields, so that filters work. */
export const ENTRY_TYPE_FIELD = 'context.entryType';
export const MEMORY_TYPE_FIELD = 'context.memoryType';
export const EDITED_BY_FIELD = 'context.editedBy';
export const RESERVED_FIELDS: readonly string[] = [ENTRY_TYPE_FIELD, MEMORY_TYPE_FIELD, EDITED_BY_FIELD];

/**
 * Importance × confidence × recency: how much an entry matters now, independent of a query. Recency counts from the last
 * write.
 */
export function effectiveRelevance(
  { importance, confidence, updatedAt }: Pick<Entry, 'importance' | 'confidence' | 'updatedAt'>,
  now: number,
): number {
  return importance * confidence * recency(now - Date.parse(updatedAt), RECENCY_HALF_LIFE_DAYS);
}

const { tags, importance, confidence, expiresAt } = entryFieldsSchema.shape;
const entryType = z.enum(CONTEXT_ENTRY_TYPES);
const memoryType = z.enum(CONTEXT_MEMORY_TYPES);
const sourceType = z.enum(CONTEXT_SOURCE_TYPES);
const sourceReference = z.string().min(1).max(1024).describe('A message id, a tool call id, a document …');

/** Metadata as a caller may write it. */
const ownMetadata = writtenMetadataSchema.refine(
  (metadata) => !RESERVED_FIELDS.some((field) => Object.hasOwn(metadata, field)),
  `uses a reserved key: ${RESERVED_FIELDS.join(', ')}`,
);

/** What a caller may write besides the content; omitted fields stay. */
export const contextEntryFields = {
  entryType: entryType.optional().describe('Default fact.'),
  memoryType: memoryType.optional().describe('Default factual.'),
  sourceType: sourceType.optional().describe('Default agent if an agent is calling, else user.'),
  sourceReference: sourceReference.optional(),
  metadata: ownMetadata.optional(),
  tags,
  trust: entryFieldsSchema.shape.trust,
  importance,
  confidence,
  expiresAt,
} as const;

const contextEntryFieldsSchema = z.strictObject(contextEntryFields);

export type ContextEntryFields = z.output<typeof contextEntryFieldsSchema>;

const key = pathName.describe('Names the entry within the context.');

export const contextEntrySchema = z
  .strictObject({
    contextId: pathName,
    key,
    entryId,
    content: z.string(),
    entryType,
    memoryType,
    sourceType: sourceType.optional(),
    sourceReference: sourceReference.optional(),
    metadata: metadataSchema,
    tags: z.array(z.string()),
    trust: entrySchema.shape.trust,
    importance: entrySchema.shape.importance,
    confidence: entrySchema.shape.confidence,
    effectiveRelevance: z
      .number()
      .describe('importance × confidence × recency; recency starts at 1 and halves every 30 days.'),
    editedBy: z.string().describe('Who wrote this version: the user, and the agent after a slash.'),
    provenance: entrySchema.shape.provenance,
    contentHash: entrySchema.shape.contentHash,
    status: entrySchema.shape.status,
    version: z.int(),
    previousVersion: z.int().nullable(),
    accessCount: z.int(),
    lastAccessedAt: isoTime.optional(),
    expiresAt,
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .describe('An entry of a context.');

export type ContextEntry = z.output<typeof contextEntrySchema>;

export const contextEntryKeyInputSchema = z.strictObject({ contextId: pathName, key });

export type ContextEntryKeyInput = z.output<typeof contextEntryKeyInputSchema>;

const expectedVersion = z
  .int()
  .min(0)
  .optional()
  .describe('Refuse with VERSION_CONFLICT unless this is the version; 0: unless nothing is there.');

export const putContextEntryInputSchema = contextEntryKeyInputSchema.extend({
  content: addInputSchema.shape.content,
  ...contextEntryFields,
  expectedVersion,
});

export type PutContextEntryInput = z.output<typeof putContextEntryInputSchema>;

export const putContextEntryOutputSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged if it says nothing new.'),
  entry: contextEntrySchema,
});

export type PutContextEntryOutput = z.output<typeof putContextEntryOutputSchema>;

export const changeContextEntryInputSchema = contextEntryKeyInputSchema.extend({
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
});

export type ChangeContextEntryInput = z.output<typeof changeContextEntryInputSchema>;

/** The default size of a boost or reduction. */
export const DEFAULT_STEP = 0.1;

export const weighContextEntryInputSchema = contextEntryKeyInputSchema.extend({
  by: z.number().gt(0).max(1).optional().describe(`Default ${DEFAULT_STEP}.`),
});

export type WeighContextEntryInput = z.output<typeof weighContextEntryInputSchema>;

/** Which entries of a context; all given conditions must hold. */
const choice = {
  entryType: entryType.optional(),
  memoryType: memoryType.optional(),
  sourceType: sourceType.optional(),
  tags: metadataFilterSchema.shape.tags,
  status: z.enum(SHELVES).optional().describe('Active, archived or both. Default active.'),
} as const;

const choiceSchema = z.strictObject(choice);

export type ContextEntryChoice = z.output<typeof choiceSchema>;

export const listContextEntriesInputSchema = z.strictObject({ contextId: pathName, ...choice, ...paged });

export type ListContextEntriesInput = z.output<typeof listContextEntriesInputSchema>;

export const listContextEntriesOutputSchema = z.strictObject({
  entries: z.array(contextEntrySchema).describe('Newest first.'),
  ...page,
});

export type ListContextEntriesOutput = z.output<typeof listContextEntriesOutputSchema>;

export const contextEntryVersionsOutputSchema = z.strictObject({
  versions: z
    .array(
      z.strictObject({
        entry: contextEntrySchema.describe('The entry as it stood.'),
        replacedAt: isoTime.nullable().describe('When the next version replaced it; null for the current one.'),
      }),
    )
    .describe('Newest first.'),
  count: z.int(),
});

export type ContextEntryVersionsOutput = z.output<typeof contextEntryVersionsOutputSchema>;

/**
 * The default minimum score. Lower than in other searches: the caller chose the context, so its entries are more likely to
 * be relevant than those of all memory.
 */
export const DEFAULT_CONTEXT_THRESHOLD = 0.5;

export const searchContextInputSchema = z.strictObject({
  contextId: pathName,
  query: searchInputSchema.shape.query,
  ...choice,
  limit: searchInputSchema.shape.limit.describe(`Default ${DEFAULT_SEARCH_LIMIT}.`),
  threshold: searchInputSchema.shape.threshold.describe(
    `Minimum score. Default ${DEFAULT_CONTEXT_THRESHOLD}, calibrated.`,
  ),
  mode: searchInputSchema.shape.mode,
});

export type SearchContextInput = z.output<typeof searchContextInputSchema>;

const { score, similarity, signals } = searchResultSchema.shape;

export const searchContextOutputSchema = z.strictObject({
  results: z.array(z.strictObject({ entry: contextEntrySchema, score, similarity, signals })).describe('Best first.'),
  count: z.int().describe('How many results there are.'),
  totalCount: passedCountSchema,
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
});

export type SearchContextOutput = z.output<typeof searchContextOutputSchema>;
