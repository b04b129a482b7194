/** Knowledge kept elsewhere (decisions, policies, patterns, specifications) and the entries that represent it. */

import { z } from 'zod';
import {
  entryFieldsSchema,
  entryId,
  identifier,
  givenIdentifiersSchema,
  identifiersSchema,
  knowledgePointerSchema,
  layerSchema,
} from './entry.ts';

/** Enough for any folder of documents; more is another set. */
export const MAX_SYNC_ITEMS = 10_000;

/** What to do with entries whose items are gone. */
const ORPHAN_RULES = ['mark', 'archive', 'keep'] as const;

/** Metadata that identifies the entries of a set; callers cannot write keys that begin with `knowledge.`. */
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
    .describe('Identifies its current content, to detect changes. Default: `sha256:` and the SHA-256 of the content.'),
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
  set: identifier.describe('The name of the set of items. Syncing the same name to the same place means the same set.'),
  layer: layerSchema.optional().describe('The layer of its items, unless they name their own.'),
  identifiers: givenIdentifiersSchema,
  items: z.array(knowledgeItemSchema).describe(`All items of the set as they are now; at most ${MAX_SYNC_ITEMS}.`),
  orphans: z
    .enum(ORPHAN_RULES)
    .optional()
    .describe(
      'What to do with entries whose items are gone: mark them (default), also archive them, or leave them alone.',
    ),
  dryRun: z.boolean().optional().describe('Only report what would be done.'),
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
  items: z.array(syncedItemSchema).describe('The outcome of each item, in order.'),
  orphans: z
    .array(syncedItemSchema)
    .describe('Entries whose items are gone: orphaned now, or unchanged if they were already.'),
});

export type SyncKnowledgeOutput = z.output<typeof syncKnowledgeOutputSchema>;
