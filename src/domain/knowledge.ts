/** Knowledge that lies elsewhere (decisions, policies, patterns, specifications) and entries that stand for it. */

import { z } from 'zod';
import {
  entryFieldsSchema,
  entryId,
  identifier,
  identifiersSchema,
  knowledgePointerSchema,
  layerSchema,
} from './entry.ts';

/** Enough for any folder of documents; more is another set. */
export const MAX_SYNC_ITEMS = 10_000;

/** What becomes of entries whose items are gone. */
const ORPHAN_RULES = ['mark', 'archive', 'keep'] as const;

/** Metadata by which entries of a set are known; callers cannot write what begins with `knowledge.`. */
export const KNOWLEDGE_KEYS = {
  set: 'knowledge.set',
  /** `current` or `orphaned`. */
  status: 'knowledge.status',
  orphanedAt: 'knowledge.orphaned_at',
} as const;

const { tags, metadata, importance, confidence, sensitivity } = entryFieldsSchema.shape;
const { sourceType, sourceId } = knowledgePointerSchema.shape;

const knowledgeItemSchema = z.strictObject({
  sourceType,
  sourceId: sourceId.describe('Its name in the set, such as `adr-042` or a path.'),
  title: z.string().min(1).max(1024).optional(),
  content: z.string().describe('The text to remember.'),
  contentHash: knowledgePointerSchema.shape.contentHash
    .optional()
    .describe('By which a change is known. Default: `sha256:` and the SHA-256 of the content.'),
  layer: layerSchema.optional().describe('Default: that of the set.'),
  identifiers: identifiersSchema.optional().describe('Default: those of the set.'),
  tags,
  metadata,
  importance,
  confidence,
  sensitivity,
});

export type KnowledgeItem = z.output<typeof knowledgeItemSchema>;

export const syncKnowledgeInputSchema = z.strictObject({
  set: identifier.describe(
    'The name of the set of items. Whoever syncs the same set to the same place means the same.',
  ),
  layer: layerSchema.optional().describe('Where its items lie, unless they say otherwise.'),
  identifiers: identifiersSchema
    .optional()
    .describe('Default: your own userId and agentId, and your tenant as companyId.'),
  items: z.array(knowledgeItemSchema).describe(`All items of the set as they are now; at most ${MAX_SYNC_ITEMS}.`),
  orphans: z
    .enum(ORPHAN_RULES)
    .optional()
    .describe('What becomes of entries whose items are gone: marked (default), also archived, or left alone.'),
  dryRun: z.boolean().optional().describe('Only say what would be done.'),
});

export type SyncKnowledgeInput = z.output<typeof syncKnowledgeInputSchema>;

const syncedItemSchema = z.strictObject({
  sourceType,
  sourceId,
  status: z.enum(['created', 'updated', 'unchanged', 'orphaned']),
  id: entryId.optional().describe('Of the entry; absent for one that a dry run would create.'),
});

export type SyncedItem = z.output<typeof syncedItemSchema>;

export const syncKnowledgeOutputSchema = z.strictObject({
  set: z.string(),
  dryRun: z.boolean(),
  counts: z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int(), orphaned: z.int() }),
  items: z.array(syncedItemSchema).describe('What became of each item, in their order.'),
  orphans: z
    .array(syncedItemSchema)
    .describe('Entries whose items are gone: orphaned now, or unchanged where they had been already.'),
});

export type SyncKnowledgeOutput = z.output<typeof syncKnowledgeOutputSchema>;
