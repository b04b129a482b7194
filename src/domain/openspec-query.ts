/** The OpenSpec Knowledge Provider protocol: looking for entries, following them, and what the provider says of itself. */

import { z } from 'zod';
import { entryId, identifiersSchema, isoTime, layerSchema } from './entry.ts';
import { eventSchema, followEventsInputSchema } from './event.ts';
import { metadataFilterSchema } from './filter.ts';
import { ACCESS_POLICIES, knowledgeEntrySchema } from './openspec.ts';
import { DEFAULT_SEARCH_LIMIT, searchInputSchema } from './recall.ts';
import { LAYERS } from './scope.ts';

/** Classes of storage, in both spellings of the protocol. The core maps them to layers, kinds and shelves. */
export const STORAGE_CLASSES = [
  'Working',
  'Session',
  'Episodic',
  'Semantic',
  'Procedural',
  'UserPersonal',
  'Organization',
  'Archival',
  'working',
  'episodic',
  'semantic',
  'procedural',
  'organization',
  'archival',
] as const;

export const DISTANCE_METRICS = ['cosine', 'euclidean', 'dot'] as const;
export type DistanceMetric = (typeof DISTANCE_METRICS)[number];

const MAX_PAGE = 100;
/** Nobody pages further, and scores no longer discriminate there. */
export const MAX_RANKED = 1000;

const filtersSchema = z.strictObject({
  sourceType: z.string().min(1).max(255).optional().describe('The type of the source.'),
  accessPolicy: z.enum(ACCESS_POLICIES).optional(),
  createdAfter: isoTime.optional(),
  createdBefore: isoTime.optional(),
  tags: metadataFilterSchema.shape.tags,
  author: z.string().min(1).max(255).optional(),
  customFilters: metadataFilterSchema.shape.custom.describe('Custom fields and the values that they must equal.'),
});

export type KnowledgeFilters = z.output<typeof filtersSchema>;

const optionsSchema = z.strictObject({
  limit: z.int().min(1).max(MAX_PAGE).optional().describe(`Default ${DEFAULT_SEARCH_LIMIT}, or top_k if given.`),
  offset: z
    .int()
    .min(0)
    .max(MAX_RANKED - 1)
    .optional()
    .describe('Default 0.'),
  topK: z.int().min(1).max(MAX_RANKED).optional().describe('Maximum number of results over all pages.'),
  distanceThreshold: z.number().min(0).optional().describe('Maximum distance; replaces the minimum score.'),
  distanceMetric: z.enum(DISTANCE_METRICS).optional().describe('Default cosine.'),
  includeContent: z.boolean().optional().describe('Default true.'),
  includeEmbeddings: z.boolean().optional().describe('Default false.'),
});

export type KnowledgeQueryOptions = z.output<typeof optionsSchema>;

const placeSchema = z.strictObject({
  types: z
    .array(z.enum([...LAYERS, ...STORAGE_CLASSES]))
    .min(1)
    .optional()
    .describe('Layers and storage classes to search. Default: every layer that is open to you.'),
  ...identifiersSchema.shape,
});

export type KnowledgePlace = z.output<typeof placeSchema>;

export const queryKnowledgeInputSchema = z.strictObject({
  query: searchInputSchema.shape.query,
  mode: searchInputSchema.shape.mode,
  filters: filtersSchema.optional(),
  options: optionsSchema.optional(),
  layer: placeSchema.optional(),
});

export type QueryKnowledgeInput = z.output<typeof queryKnowledgeInputSchema>;

const providerSchema = z.strictObject({ name: z.string(), version: z.string() });

export const queryKnowledgeOutputSchema = z.strictObject({
  queryId: entryId,
  results: z
    .array(
      z.strictObject({
        entry: knowledgeEntrySchema,
        score: z.number().describe('0 to 1, calibrated.'),
        distance: z.number().optional().describe('Absent if no vectors were compared.'),
        highlight: z
          .strictObject({ content: z.array(z.string()) })
          .optional()
          .describe('Where its words are.'),
      }),
    )
    .describe('Best first.'),
  metadata: z.strictObject({
    totalResults: z.int().describe('How many there were before limit and offset.'),
    executionTimeMs: z.int(),
    layersQueried: z.array(layerSchema),
    provider: providerSchema,
    warnings: z.array(z.string()).optional().describe('Present when part of the query could not be done.'),
  }),
});

export type QueryKnowledgeOutput = z.output<typeof queryKnowledgeOutputSchema>;

export const streamKnowledgeInputSchema = followEventsInputSchema.extend({
  type: z.enum(['updates']).optional().describe('What to follow: changes of entries.'),
  format: z.enum(['sse']).optional().describe('Server-sent events.'),
});

export type StreamKnowledgeInput = z.output<typeof streamKnowledgeInputSchema>;

export const knowledgeEventSchema = z
  .strictObject({
    id: eventSchema.shape.id,
    type: eventSchema.shape.type,
    entryId,
    entry: knowledgeEntrySchema
      .optional()
      .describe('As it is now. Absent after `deleted`, and if it is gone or no longer visible to you.'),
    version: eventSchema.shape.version,
    timestamp: isoTime,
  })
  .describe('A change to an entry.');

export type KnowledgeEvent = z.output<typeof knowledgeEventSchema>;

export const discoverInputSchema = z.strictObject({});

const words = z.array(z.string());

export const discoverOutputSchema = z.strictObject({
  provider: z.strictObject({
    ...providerSchema.shape,
    description: z.string(),
    capabilities: z.strictObject({
      query: z.strictObject({ modes: words, distanceMetrics: words, layerTypes: words, maxResults: z.int() }),
      storage: z.strictObject({ operations: words, accessPolicies: words }),
      metadata: z.strictObject({ customFields: z.boolean(), versionHistory: z.boolean() }),
      streaming: z.strictObject({ formats: words, events: words, resumable: z.boolean() }),
    }),
    supportedSources: words.describe('Any other text is accepted as well.'),
    limits: z.strictObject({
      maxEntrySize: z.int().describe('Characters: a text of this many bytes always fits.'),
      maxBatchSize: z.int(),
      maxEmbeddingsDim: z.int().optional().describe('Absent while the embedding model is unavailable.'),
      queryRateLimit: z.int().optional().describe('Queries per minute. Absent if there is no limit.'),
    }),
    features: z.strictObject({
      semanticSearch: z.boolean(),
      hybridSearch: z.boolean(),
      reranking: z.boolean(),
      crossLayerQuery: z.boolean(),
      versioning: z.boolean(),
      promotion: z.boolean(),
    }),
  }),
});

export type DiscoverOutput = z.output<typeof discoverOutputSchema>;
