/** The router: one way to read, write, search and count over the four tiers of memory. */

import { z } from 'zod';
import { entryId, identifier, identifiersSchema, isoTime, pathName } from './entry.ts';
import { searchInputSchema, searchOutputSchema, searchResultSchema } from './recall.ts';
import { FREQUENT_ACCESSES, SHORT_TERM_TYPES } from './short-term.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';

/** In the order in which a read tries them. */
export const TIERS = ['working', 'short_term', 'long_term', 'shared'] as const;
export type Tier = (typeof TIERS)[number];

export const DEFAULT_WRITE_TIER: Tier = 'short_term';

/** The metadata field that keeps the exact value if it is not text. See `core/long-term/value.ts`. */
export const VALUE_FIELD = 'lamina_value';

const tierSchema = z.enum(TIERS);
const agentId = identifier.optional().describe('An agent of yours. Default: the calling agent, if there is one.');

const place = {
  key: pathName.describe('Names the value within the tier.'),
  agentId,
  sessionId: pathName.optional().describe('Of short-term memory.'),
  taskId: pathName.optional().describe("Of the agent's working memory. Absent: no task."),
  poolId: pathName.optional().describe('Of shared memory.'),
} as const;

export const routerReadInputSchema = z.strictObject({
  ...place,
  tier: tierSchema.optional().describe('Default: working, short_term, long_term, shared, in this order.'),
});

export type RouterReadInput = z.output<typeof routerReadInputSchema>;

export const routedValueSchema = z
  .strictObject({
    tier: tierSchema.describe('The tier that it is in.'),
    key: z.string(),
    value: jsonSchema,
    version: z.int(),
    updatedAt: isoTime,
    expiresAt: isoTime.optional(),
    agentId: identifier.optional(),
    sessionId: z.string().optional(),
    taskId: z.string().optional(),
    poolId: z.string().optional(),
    memoryId: entryId.optional().describe('The memory that holds it (long_term).'),
  })
  .describe('A value, and where it was found.');

export type RoutedValue = z.output<typeof routedValueSchema>;

export const routerWriteInputSchema = z.strictObject({
  ...place,
  value: jsonSchema,
  tier: tierSchema.optional().describe(`Default ${DEFAULT_WRITE_TIER}.`),
  type: z.enum(SHORT_TERM_TYPES).optional().describe('Of short-term memory.'),
  ttlSeconds: ttlSeconds
    .optional()
    .describe('How long it stays, in every tier but long_term. Default: that of the tier.'),
});

export type RouterWriteInput = z.output<typeof routerWriteInputSchema>;

export const routerDeleteInputSchema = z.strictObject({
  ...place,
  tier: tierSchema.optional().describe(`Default ${DEFAULT_WRITE_TIER}. long_term archives; shared refuses.`),
});

export type RouterDeleteInput = z.output<typeof routerDeleteInputSchema>;

const SEARCHED_TIERS = ['long_term', 'shared'] as const;
const searchedTier = z.enum(SEARCHED_TIERS);
export type SearchedTier = z.output<typeof searchedTier>;

const { userId: _self, companyId: _tenant, ...named } = identifiersSchema.shape;
const { query, kinds, limit, threshold, filter, mode, rank } = searchInputSchema.shape;

export const routerSearchInputSchema = z.strictObject({
  query,
  ...named,
  tiers: z.array(searchedTier).min(1).optional().describe('Default: both.'),
  kinds,
  limit,
  threshold,
  filter,
  mode,
  rank: rank.describe('Default relevance: best first, across tiers; precedence: more specific layers first.'),
});

export type RouterSearchInput = z.output<typeof routerSearchInputSchema>;

export const routerSearchOutputSchema = z.strictObject({
  ...searchOutputSchema.shape,
  results: z.array(
    searchResultSchema.extend({
      tier: searchedTier.describe('long_term: of the agent, user and session layers; shared: of all others.'),
    }),
  ),
});

export type RouterSearchOutput = z.output<typeof routerSearchOutputSchema>;

export const consolidateInputSchema = z.strictObject({
  sessionId: pathName,
  agentId,
  minAccesses: z.int().min(1).optional().describe(`How often it must have been read. Default ${FREQUENT_ACCESSES}.`),
});

export type ConsolidateInput = z.output<typeof consolidateInputSchema>;

export const PROMOTION_OUTCOMES = ['created', 'updated', 'merged', 'unchanged', 'skipped'] as const;

export const consolidateOutputSchema = z.strictObject({
  sessionId: z.string(),
  agentId: identifier.optional(),
  created: z.int().describe('New memories.'),
  updated: z.int().describe('Memories of the same key that were updated.'),
  merged: z.int().describe('Memories without an external id that said the same, and now have the key.'),
  unchanged: z.int().describe('Values that were already remembered.'),
  skipped: z.int().describe('Values that are too large for a memory, and stay as they are.'),
  promotions: z
    .array(z.strictObject({ key: z.string(), outcome: z.enum(PROMOTION_OUTCOMES), memoryId: entryId.optional() }))
    .describe('Each one; the first thousand.'),
});

export type ConsolidateOutput = z.output<typeof consolidateOutputSchema>;

export const routerStatsInputSchema = z.strictObject({
  agentId,
  sessionId: place.sessionId,
  taskId: place.taskId,
});

export type RouterStatsInput = z.output<typeof routerStatsInputSchema>;

const size = { count: z.int(), bytes: z.int().describe('As JSON.') } as const;

export const routerStatsSchema = z.strictObject({
  workingMemory: z.strictObject(size).nullable().describe("The agent's, in the task; null without an agent."),
  shortTerm: z
    .strictObject({ ...size, accesses: z.int().describe('How often they were read.') })
    .nullable()
    .describe("The agent's in the session; null without a session."),
  longTerm: z.strictObject({
    count: z.int().describe('Memories in use, of the agent and user layers.'),
    archivedCount: z.int(),
    layers: z.strictObject({ agent: z.int().optional(), user: z.int() }).describe('Those in use, by layer.'),
  }),
  shared: z.strictObject({
    poolCount: z.int().describe('Pools that you may read; at most a thousand are counted.'),
    memoryCount: z.int().describe('Memories of the whole tenant: its company layer.'),
  }),
});

export type RouterStats = z.output<typeof routerStatsSchema>;
