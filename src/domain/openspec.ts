/** The OpenSpec Knowledge Provider protocol, version 1.0.0: its entries, and what is done with one of them. */

import { z } from 'zod';
import { entryFieldsSchema, entryId, isoTime } from './entry.ts';

export const PROVIDER_NAME = 'Lamina';

/** From one person's to everyone's; see docs/openspec.md for the scope of each. */
export const ACCESS_POLICIES = ['private', 'restricted', 'shared', 'organization', 'public'] as const;
export type AccessPolicy = (typeof ACCESS_POLICIES)[number];

/** Those that the protocol names; any other text is kept as well. */
export const KNOWLEDGE_SOURCES = [
  'user_upload',
  'git_repository',
  'notebooklm',
  'dust_ai',
  'perplexity',
  'web_scrape',
  'api_import',
  'agent_generated',
  'custom_provider',
] as const;

const MAX_NAME_LENGTH = 255;
const MAX_TEXT_LENGTH = 4096;
const MAX_IDENTIFIER_LENGTH = 1024;

const name = z.string().min(1).max(MAX_NAME_LENGTH);
const { tags, confidence, importance } = entryFieldsSchema.shape;
const policy = z.enum(ACCESS_POLICIES).describe('Who may see it. Default private.');

const knowledgeMetadataSchema = z.strictObject({
  title: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  language: z.string().optional(),
  author: z.string().optional(),
  confidence,
  importance,
  custom: z.record(z.string(), z.unknown()).optional().describe('Everything else that is attached to it.'),
});

const metadataInputSchema = z.strictObject({
  title: z.string().min(1).max(MAX_IDENTIFIER_LENGTH).nullish(),
  description: z.string().min(1).max(MAX_TEXT_LENGTH).nullish(),
  tags,
  language: name.nullish(),
  author: name.nullish(),
  confidence,
  importance,
  custom: z.record(z.string(), z.unknown()).optional().describe('Free JSON; merged key by key on update.'),
});

export type KnowledgeMetadataInput = z.output<typeof metadataInputSchema>;

const knowledgeSourceSchema = z.strictObject({
  type: z.string(),
  identifier: z.string(),
  version: z.string().optional(),
  providerId: z.string().optional(),
});

export type KnowledgeSource = z.output<typeof knowledgeSourceSchema>;

const sourceInputSchema = z.strictObject({
  type: name.describe('Such as user_upload, git_repository or any other text.'),
  identifier: z.string().min(1).max(MAX_IDENTIFIER_LENGTH).describe('A URL, a repository, a message …'),
  version: name.nullish().describe('A commit, a revision …'),
  providerId: name.nullish(),
});

export type KnowledgeSourceInput = z.output<typeof sourceInputSchema>;

export const knowledgeEntrySchema = z
  .strictObject({
    id: entryId,
    content: z.string().optional().describe('Absent if not requested.'),
    embedding: z.array(z.number()).optional().describe('Only if requested.'),
    metadata: knowledgeMetadataSchema,
    source: knowledgeSourceSchema,
    accessPolicy: z.enum(ACCESS_POLICIES),
    createdAt: isoTime,
    updatedAt: isoTime,
    version: z.int(),
  })
  .describe('A memory as the OpenSpec protocol shows it.');

export type KnowledgeEntry = z.output<typeof knowledgeEntrySchema>;

/** Accepted so that an entry can be sent back as received; Lamina sets these itself. */
const kept = {
  embedding: z.array(z.number()).nullish().describe('Ignored: Lamina computes it.'),
  createdAt: isoTime.nullish().describe('Ignored: Lamina sets it.'),
  updatedAt: isoTime.nullish().describe('Ignored: Lamina sets it.'),
  version: z.int().nullish().describe('Ignored: use If-Match to name the expected version.'),
};

const writable = {
  content: z.string().describe('The text to remember.'),
  metadata: metadataInputSchema.optional(),
  source: sourceInputSchema.optional(),
  accessPolicy: policy.optional(),
};

const newEntrySchema = z.strictObject({ id: entryId.optional().describe('A UUID of your own.'), ...writable, ...kept });

export type NewKnowledge = z.output<typeof newEntrySchema>;

const changedEntrySchema = z.strictObject({
  id: entryId.optional().describe('The same as in the path.'),
  ...writable,
  content: writable.content.optional(),
  ...kept,
});

export type ChangedKnowledge = z.output<typeof changedEntrySchema>;

/** An entry of a batch. A missing field is an error of that entry alone. */
const batchEntrySchema = z.strictObject({
  ...changedEntrySchema.shape,
  id: z.string().max(MAX_NAME_LENGTH).optional().describe('Which one to update or delete; optional otherwise.'),
});

export type BatchEntry = z.output<typeof batchEntrySchema>;

const writeOptionsSchema = z.strictObject({
  generateEmbedding: z.boolean().optional().describe('True returns the vector, which is computed in any case.'),
  version: z.boolean().optional().describe('Ignored: every change makes a version.'),
});

export type WriteOptions = z.output<typeof writeOptionsSchema>;

export const createKnowledgeInputSchema = z.strictObject({
  entry: newEntrySchema,
  options: writeOptionsSchema.optional(),
});

export type CreateKnowledgeInput = z.output<typeof createKnowledgeInputSchema>;

export const updateKnowledgeInputSchema = z.strictObject({
  id: entryId,
  entry: changedEntrySchema,
  options: writeOptionsSchema.optional(),
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
});

export type UpdateKnowledgeInput = z.output<typeof updateKnowledgeInputSchema>;

export const writeKnowledgeOutputSchema = z.strictObject({
  entry: knowledgeEntrySchema,
  status: z.enum(['created', 'updated']).describe('updated also if it already existed unchanged; see its version.'),
});

export type WriteKnowledgeOutput = z.output<typeof writeKnowledgeOutputSchema>;

export const deleteKnowledgeInputSchema = z.strictObject({
  id: entryId,
  expectedVersion: updateKnowledgeInputSchema.shape.expectedVersion,
});

export const deleteKnowledgeOutputSchema = z.strictObject({ deleted: z.boolean(), entryId });

export const knowledgeMetadataInputSchema = z.strictObject({
  id: entryId,
  includeCustom: z.boolean().optional().describe('Default true.'),
});

export type KnowledgeMetadataQuery = z.output<typeof knowledgeMetadataInputSchema>;

export const knowledgeMetadataOutputSchema = z.strictObject({
  entryId,
  metadata: knowledgeMetadataSchema,
  source: knowledgeSourceSchema,
  versionHistory: z
    .array(
      z.strictObject({
        version: z.int(),
        createdAt: isoTime.describe('When this version was written.'),
        replacedAt: isoTime.nullable().describe('When the next one replaced it; null for the current one.'),
        contentHash: z.string(),
      }),
    )
    .describe('Newest first.'),
});

export type KnowledgeMetadataOutput = z.output<typeof knowledgeMetadataOutputSchema>;

export const BATCH_OPERATIONS = ['create', 'update', 'delete', 'upsert'] as const;

export const batchKnowledgeInputSchema = z.strictObject({
  operation: z.enum(BATCH_OPERATIONS),
  entries: z
    .array(
      batchEntrySchema.extend({
        entry: batchEntrySchema.optional().describe('Its fields may also be nested in here.'),
        options: writeOptionsSchema.optional(),
      }),
    )
    .min(1)
    .describe('At most 1,000.'),
  options: z
    .strictObject({
      continueOnError: z.boolean().optional().describe('Continue after a failure. Default false.'),
    })
    .optional(),
});

export type BatchKnowledgeInput = z.output<typeof batchKnowledgeInputSchema>;

export const batchKnowledgeOutputSchema = z.strictObject({
  operationId: entryId,
  status: z
    .enum(['completed', 'failed'])
    .describe('completed: all were tried. failed: it stopped at the first failure, and the rest were not tried.'),
  results: z.strictObject({
    succeeded: z.int(),
    failed: z.int(),
    entries: z
      .array(z.strictObject({ index: z.int(), id: entryId, status: z.enum(['created', 'updated', 'deleted']) }))
      .describe('Those that succeeded, by their index in the batch.'),
    errors: z
      .array(z.strictObject({ index: z.int(), id: z.string().optional(), code: z.string(), message: z.string() }))
      .describe('Those that failed, likewise.'),
  }),
});

export type BatchKnowledgeOutput = z.output<typeof batchKnowledgeOutputSchema>;
