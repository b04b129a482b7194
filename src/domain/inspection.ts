/** Inspecting memory: counts, neighbours, lineage and decay. */

import { z } from 'zod';
import { MAX_ACCESS_TIMES } from './access-times.ts';
import { erasureCountsSchema } from './erasure.ts';
import { entryId, entrySchema, givenIdentifiersSchema, isoTime, kindSchema, layerSchema } from './entry.ts';

/** The label of a memory in a list: the beginning of its text, on one line. */
export const LABEL_LENGTH = 80;

const label = z.string().describe(`The first ${LABEL_LENGTH} characters of its content.`);
const count = z.int().min(0);
const shelf = z.enum(['active', 'archived', 'quarantined']);

const DEFAULT_GROWTH_DAYS = 30;
const MAX_GROWTH_DAYS = 366;

export const statsInputSchema = z.strictObject({
  of: z
    .enum(['mine', 'tenant'])
    .default('mine')
    .describe('What you may see, or the whole tenant, which requires the role "admin".'),
  days: z.int().min(1).max(MAX_GROWTH_DAYS).default(DEFAULT_GROWTH_DAYS).describe('Days of growth, today included.'),
});

export type StatsInput = z.output<typeof statsInputSchema>;

/** What is counted for a tenant, and for a user where a row tells whose it is. */
export const sizesSchema = erasureCountsSchema
  .omit({ mentions: true })
  .partial({ events: true, users: true, auditEntries: true, maintenanceRuns: true })
  .describe(
    'Rows by type: of the tenant, or of what belongs to you. Expired ones count until they are removed. Redis is not counted.',
  );

export type Sizes = z.output<typeof sizesSchema>;

const groupSchema = z.strictObject({
  layer: layerSchema,
  kind: kindSchema,
  status: shelf,
  isInContext: z.boolean().describe('Held by a context, and reachable only through it.'),
  count,
  created: count.describe('How many of them were created in the days of growth.'),
});

export type MemoryGroup = z.output<typeof groupSchema>;

const spaceSchema = z.strictObject({ model: z.string(), dimensions: z.int(), count });

export type SpaceSize = z.output<typeof spaceSchema>;

const growthSchema = z.strictObject({
  day: z.string().describe('As 2026-11-15, in UTC.'),
  created: count,
  deleted: count,
});

export type DayOfGrowth = z.output<typeof growthSchema>;

export const statsOutputSchema = z.strictObject({
  of: statsInputSchema.shape.of.unwrap(),
  countedAt: isoTime,
  total: count.describe('Memories: the sum of the groups.'),
  groups: z.array(groupSchema).describe('Memories by layer, kind and status, without expired ones.'),
  growth: z
    .array(growthSchema)
    .describe(
      'By day, oldest first. Computed from the event log: memories of erased users do not appear, and days before ' +
        'the retained log are empty.',
    ),
  sizes: sizesSchema,
  spaces: z.array(spaceSchema).optional().describe('Vectors by embedding space. Only for a tenant.'),
  bytes: z.int().optional().describe('Size of the database. Only for a tenant, and if the engine can tell.'),
});

export type StatsOutput = z.output<typeof statsOutputSchema>;

/** Where to look, as a search has it. */
const place = {
  layers: z.array(layerSchema).min(1).optional().describe('Default: every layer that the identifiers open.'),
  kinds: z.array(kindSchema).min(1).optional().describe('Default: all kinds.'),
  identifiers: givenIdentifiersSchema,
  includeArchived: z.boolean().optional().describe('Include archived memories. Default false.'),
} as const;

const DEFAULT_NEIGHBOURS = 10;
const MAX_NEIGHBOURS = 50;

export const neighboursInputSchema = z.strictObject({
  id: entryId,
  ...place,
  limit: z.int().min(1).max(MAX_NEIGHBOURS).default(DEFAULT_NEIGHBOURS),
});

export type MemoryNeighboursInput = z.output<typeof neighboursInputSchema>;

export const neighboursOutputSchema = z.strictObject({
  neighbours: z
    .array(
      z.strictObject({
        memory: entrySchema,
        similarity: z.number().describe('Cosine similarity of the meanings.'),
        isNearDuplicate: z.boolean().describe('Similar enough that deduplication would merge them.'),
      }),
    )
    .describe('Nearest first.'),
  hasEmbedding: z.boolean().describe('False if the memory has no vector yet, and so no neighbours.'),
});

export type MemoryNeighboursOutput = z.output<typeof neighboursOutputSchema>;

/** How one memory was made from another. */
export const RELATIONS = ['merged', 'extracted', 'distilled', 'promoted', 'derived'] as const;

const DEFAULT_LINEAGE_DEPTH = 3;
const MAX_LINEAGE_DEPTH = 10;

export const lineageInputSchema = z.strictObject({
  id: entryId,
  depth: z.int().min(1).max(MAX_LINEAGE_DEPTH).default(DEFAULT_LINEAGE_DEPTH).describe('Steps in either direction.'),
});

export type LineageInput = z.output<typeof lineageInputSchema>;

const lineageNodeSchema = z.strictObject({
  id: entryId,
  type: z.enum(['memory', 'fact']),
  depth: z
    .int()
    .describe('0 for the memory itself, negative for what it was made from, positive for what was made from it.'),
  label,
  layer: layerSchema,
  kind: kindSchema.optional().describe('Of a memory.'),
  status: shelf.optional().describe('Of a memory.'),
  createdAt: isoTime,
});

export type LineageNode = z.output<typeof lineageNodeSchema>;

const lineageEdgeSchema = z.strictObject({ from: entryId, to: entryId, relation: z.enum(RELATIONS) });

export type LineageEdge = z.output<typeof lineageEdgeSchema>;

export const lineageOutputSchema = z.strictObject({
  nodes: z.array(lineageNodeSchema).describe('The memory itself first.'),
  edges: z.array(lineageEdgeSchema).describe('From a source to what was made from it.'),
  hiddenCount: count.describe('Referenced, but deleted or not visible to you.'),
  isTruncated: z.boolean().describe('There is more than the requested depth or the limit shows.'),
});

export type LineageOutput = z.output<typeof lineageOutputSchema>;

const DEFAULT_DECAY_DAYS = 90;
const MAX_DECAY_DAYS = 3650;

export const decayInputSchema = z.strictObject({
  id: entryId,
  days: z.int().min(1).max(MAX_DECAY_DAYS).default(DEFAULT_DECAY_DAYS).describe('How far to look ahead.'),
});

export type DecayInput = z.output<typeof decayInputSchema>;

export const decayOutputSchema = z.strictObject({
  isOn: z.boolean().describe('Whether it fades.'),
  reason: z
    .enum(['off', 'exempt', 'archived', 'context'])
    .optional()
    .describe('Why decay does not apply: it is off, its layer is exempt, it is archived, or a context holds it.'),
  accessCount: count,
  lastAccessedAt: isoTime.optional(),
  accesses: z
    .array(isoTime)
    .max(MAX_ACCESS_TIMES)
    .describe(`When it was read, newest first: the last ${MAX_ACCESS_TIMES} times. Who read it is not recorded.`),
  lastUsedAt: isoTime.describe('When it was last written or read: decay starts there.'),
  relevance: z.number().describe('The relevance it was given.'),
  currentRelevance: z.number(),
  archiveThreshold: z.number().describe('Maintenance archives memories below this relevance.'),
  decayedAt: isoTime.optional().describe('When it will count as decayed, if nobody reads it.'),
  belowThresholdAt: isoTime.optional().describe('When it will fall below the archive threshold, if nobody reads it.'),
  now: isoTime,
  points: z
    .array(z.strictObject({ at: isoTime, relevance: z.number() }))
    .describe('From its last use through now to the given days ahead, in order of time.'),
});

export type DecayOutput = z.output<typeof decayOutputSchema>;

export const mapInputSchema = z.strictObject({
  ...place,
  since: isoTime.optional().describe('The computedAt that you have: points are returned only if they are newer.'),
});

export type MapInput = z.output<typeof mapInputSchema>;

/** Parallel arrays: the first of each is the first point. */
const pointsSchema = z.strictObject({
  ids: z.array(entryId),
  x: z.array(z.number()).describe('-1 to 1.'),
  y: z.array(z.number()),
  layers: z.array(layerSchema),
  kinds: z.array(kindSchema),
  createdAt: z.array(isoTime),
  labels: z.array(label),
});

export type MapPoints = z.output<typeof pointsSchema>;

export const mapOutputSchema = z.strictObject({
  status: z.enum(['computing', 'ready']).describe('While it is computing, ask again in a second.'),
  progress: z.number().min(0).max(1),
  isStale: z
    .boolean()
    .describe('Memory has changed since. Deleted memories are left out; new ones appear on the next map, soon.'),
  computedAt: isoTime.optional(),
  model: z.string().optional().describe('The embedding model whose vectors were used.'),
  total: count.describe('Memories that you can see. The newest 50,000 with a vector are on the map.'),
  points: pointsSchema.optional().describe('Present when ready, unless you already have them.'),
});

export type MapOutput = z.output<typeof mapOutputSchema>;
