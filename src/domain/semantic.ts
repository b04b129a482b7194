/** What semantic memory takes and answers: knowledge of a user, or of the whole tenant. */

import { z } from 'zod';
import { entryFieldsSchema, entryId, entrySchema, identifier, isoTime, metadataSchema, sourceSchema } from './entry.ts';
import { metadataFilterSchema } from './filter.ts';
import { DEFAULT_SEARCH_LIMIT, DEFAULT_THRESHOLD, searchInputSchema, searchResultSchema } from './recall.ts';
import { addInputSchema, quarantinedField, WRITE_STATUSES } from './remember.ts';

/** The fields shared with any entry. */
const knowledgeFields = entryFieldsSchema.pick({
  tags: true,
  source: true,
  knowledgePointer: true,
  sensitivity: true,
  trust: true,
  importance: true,
  confidence: true,
  relevance: true,
  decayFactor: true,
  validFrom: true,
  validTo: true,
  expiresAt: true,
}).shape;

export const semanticStoreInputSchema = z.strictObject({
  content: addInputSchema.shape.content,
  metadata: entryFieldsSchema.shape.metadata,
  externalId: addInputSchema.shape.externalId,
  userId: identifier
    .optional()
    .describe('The owner: your own id. Without it, it belongs to the tenant and everyone may change it.'),
  public: z
    .boolean()
    .optional()
    .describe(
      'Whether everyone in the tenant may read it. Default false with a userId, true without. False makes nothing private ' +
        'that belongs to the tenant: that stays, and warnings says so.',
    ),
  isPublic: z.boolean().optional().describe('The same as public.'),
  ...knowledgeFields,
});

export type SemanticStoreInput = z.output<typeof semanticStoreInputSchema>;

export const semanticUpsertInputSchema = z.strictObject({
  ...semanticStoreInputSchema.shape,
  dedupeThreshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'Merge by meaning: the raw cosine similarity from which the nearest entry is the same, such as 0.95. Another figure, ' +
        'negation or name is never the same. Default: only the same external id or content is.',
    ),
});

export type SemanticUpsertInput = z.output<typeof semanticUpsertInputSchema>;

const privacy = {
  userId: z.string().nullable().describe('The owner; null if it belongs to the tenant.'),
  public: z.boolean().describe('Whether everyone in the tenant may read it.'),
};

export const semanticWriteOutputSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES),
  id: entryId,
  ...privacy,
  embeddingGenerated: z.boolean(),
  quarantined: quarantinedField,
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'Present when it is private now, but the tenant has a memory of the same content or external id: that stays, for everyone.',
    ),
  memory: entrySchema,
});

export type SemanticWriteOutput = z.output<typeof semanticWriteOutputSchema>;

export const semanticSearchInputSchema = z.strictObject({
  query: searchInputSchema.shape.query,
  userId: identifier.optional().describe('Whose knowledge: your own id, which is also the default.'),
  includePublic: z
    .boolean()
    .optional()
    .describe('Include what everyone in the tenant may read. Default true; false: only what is private to the user.'),
  limit: searchInputSchema.shape.limit.describe(`Default ${DEFAULT_SEARCH_LIMIT}.`),
  threshold: searchInputSchema.shape.threshold.describe(
    `Minimum score. Default ${DEFAULT_THRESHOLD}, calibrated, as in every search.`,
  ),
  mode: searchInputSchema.shape.mode,
  filter: metadataFilterSchema.optional(),
});

export type SemanticSearchInput = z.output<typeof semanticSearchInputSchema>;

/** What a search adds to what it found. */
export const relevanceShape = {
  score: searchResultSchema.shape.score,
  similarity: searchResultSchema.shape.similarity,
  signals: searchResultSchema.shape.signals,
};

const foundKnowledgeSchema = z
  .strictObject({
    id: entryId,
    content: z.string(),
    metadata: metadataSchema,
    ...relevanceShape,
    ...privacy,
    externalId: entrySchema.shape.externalId,
    tags: z.array(z.string()),
    source: sourceSchema.optional(),
    version: z.int(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .describe('A piece of knowledge, with how well it answers.');

export type FoundKnowledge = z.output<typeof foundKnowledgeSchema>;

export const semanticSearchOutputSchema = z.strictObject({
  results: z.array(foundKnowledgeSchema).describe('Best first.'),
  count: z.int().describe('How many results there are.'),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
});

export type SemanticSearchOutput = z.output<typeof semanticSearchOutputSchema>;
