/** An entry: a piece of remembered text that can be searched. */

import { z } from 'zod';
import { VISIBILITIES } from './access.ts';
import {
  KINDS,
  KNOWLEDGE_TYPES,
  PROCEDURE_TYPES,
  ROLES,
  SENSITIVITIES,
  SOURCE_TYPES,
  STATUSES,
  TRUSTS,
} from './kind.ts';
import { LAYERS } from './scope.ts';
import { SUSPICIONS } from './suspicion.ts';

const MAX_ID_LENGTH = 100;

const unit = z.number().min(0).max(1);

/** Times that UTC can write with a four-digit year, which is how every time is returned. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

export const isoTime = z.iso
  .datetime({ offset: true })
  .refine((time) => !(Date.parse(time) < EARLIEST || Date.parse(time) > LATEST), 'outside the years 0000 to 9999 (UTC)')
  .describe('ISO 8601 time.');
export const identifier = z.string().min(1).max(MAX_ID_LENGTH);

/** A name that can be one segment of a path: a URL cannot contain a dot segment, however it is encoded. */
export const pathName = identifier.refine((name) => name !== '.' && name !== '..', 'cannot be "." or ".."');

export const entryId = z.uuid().toLowerCase();

export const layerSchema = z.enum(LAYERS).describe('Whose memory it is, from most to least specific.');
export const kindSchema = z.enum(KINDS).describe('What sort of memory it is.');

export const identifiersSchema = z
  .strictObject({
    agentId: identifier.optional(),
    userId: identifier.optional(),
    sessionId: identifier.optional(),
    projectId: identifier.optional(),
    teamId: identifier.optional(),
    orgId: identifier.optional(),
    companyId: identifier.optional(),
  })
  .describe('Whose: agent needs userId and agentId; session needs userId and sessionId; the others their own.');

/** The same where the caller may omit them. */
export const givenIdentifiersSchema = identifiersSchema
  .optional()
  .describe(
    'Used as given: your own are not added. Default: your own userId and agentId, and your tenant as companyId.',
  );

/** The scope of an entry: what a caller can name, and the context that holds it. */
const placeSchema = identifiersSchema.extend({
  contextId: identifier.optional().describe('The context that holds it; see /v1/memory/contexts.'),
});

export const costSchema = z.strictObject({
  inputTokens: z.int(),
  outputTokens: z.int(),
  price: z.number().optional().describe('At the configured prices, in their currency.'),
  sharedBy: z.int().optional().describe('How many memories and facts share this cost. Default: this one alone.'),
});

export type Cost = z.output<typeof costSchema>;

const quoteSchema = z.strictObject({
  entryId: entryId.describe('The episode. Whoever may read it can read the quote.'),
  version: z.int().describe('The version that was read.'),
  start: z.int().min(0).describe('In UTF-16 code units of its content, as JavaScript counts.'),
  end: z.int().min(0).describe('Exclusive.'),
});

export const provenanceSchema = z
  .strictObject({
    mergedFrom: z.array(entryId).optional().describe('Near-duplicates that were merged into it and archived.'),
    mergedInto: entryId.optional().describe('The memory that it was merged into.'),
    distinctFrom: z
      .array(entryId)
      .optional()
      .describe('Memories that it is never merged into again, because a merge was undone.'),
    promotedFrom: z.string().optional().describe('The short-term memory it was promoted from: session and key.'),
    promotedFromEntry: entryId.optional().describe('The memory of another layer that it was promoted from.'),
    promotedTo: entryId.optional().describe('The memory that it became when its session ended.'),
    derivedFrom: z
      .array(entryId)
      .optional()
      .describe('The memories its text was made from. Deleting one of them for good deletes it too.'),
    alsoFrom: z
      .array(entryId)
      .optional()
      .describe(
        'Other episodes that each say all of it. While one of them exists, it survives deletion of its source.',
      ),
    quotes: z.array(quoteSchema).optional().describe('The spans of a conversation that it came from.'),
    distilledInto: entryId.optional().describe('The knowledge that was made from this episode.'),
    extracted: z
      .string()
      .optional()
      .describe(
        'Hash of the content that a language model searched for knowledge; if only in part, followed by @ and how far it got.',
      ),
    extractedInto: z.array(entryId).optional().describe('The memories that were extracted from this episode.'),
    extractedFacts: z.array(entryId).optional().describe('The facts that were extracted from this episode.'),
    forgotten: z
      .array(z.strictObject({ turn: z.int(), mark: z.string() }))
      .optional()
      .describe('Deleted turns that followed this one, kept so that sending them again does not bring them back.'),
    model: z.string().optional().describe('The language model that wrote it.'),
    cost: costSchema.optional().describe('The cost of writing it.'),
    runId: entryId.optional().describe('The maintenance run that made this version of it.'),
    quarantined: z.array(z.enum(SUSPICIONS)).optional().describe('Why it is in quarantine until somebody reviews it.'),
  })
  .describe('How it came about, if Lamina created or changed it on its own.');

export type Provenance = z.output<typeof provenanceSchema>;

export const sourceSchema = z.strictObject({
  type: z.enum(SOURCE_TYPES),
  reference: z.string().min(1).max(1024).optional().describe('A message id, a tool call id, a document …'),
});

export const knowledgePointerSchema = z.strictObject({
  sourceType: z.enum(KNOWLEDGE_TYPES),
  sourceId: z.string().min(1).max(255),
  contentHash: z.string().min(1).max(255),
  syncedAt: isoTime,
});

export const metadataSchema = z.record(z.string(), z.unknown()).describe('Free JSON; merged key by key on update.');

/** Keys that a change removes from the metadata. */
export const removedMetadataSchema = z
  .array(z.string())
  .max(1000)
  .describe('Keys to remove from the metadata before the given metadata is merged. Null is a value like any other.');

/** The metadata without some keys. */
export function withoutKeys(metadata: Metadata, keys: readonly string[] = []): Metadata {
  if (keys.length === 0) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)));
}

/** Metadata keys with this prefix are written by Lamina only: they identify the entries of a knowledge set. */
export const RESERVED_PREFIX = 'knowledge.';

const areWritable = (keys: readonly string[]): boolean => !keys.some((key) => key.startsWith(RESERVED_PREFIX));
const NOT_WRITABLE = `what begins with "${RESERVED_PREFIX}" is Lamina's own to write; leave it out, and it stays as it is`;

/** Metadata as a caller may write it. */
export const writtenMetadataSchema = metadataSchema
  .refine((metadata) => areWritable(Object.keys(metadata)), NOT_WRITABLE)
  .describe('Free JSON; merged key by key on update.');

/** The metadata keys that a caller may remove. */
export const writtenRemovedMetadataSchema = removedMetadataSchema
  .refine(areWritable, NOT_WRITABLE)
  .describe(removedMetadataSchema.description ?? '');

/** The fields of an entry that a caller may write, at creation and later. */
export const entryFieldsSchema = z.strictObject({
  metadata: writtenMetadataSchema.optional(),
  tags: z.array(z.string().min(1).max(100)).max(100).optional(),
  source: sourceSchema.optional(),
  knowledgePointer: knowledgePointerSchema.optional().describe('The knowledge item that this memory represents.'),
  sensitivity: z.enum(SENSITIVITIES).optional().describe('Default internal.'),
  trust: z
    .enum(TRUSTS)
    .optional()
    .describe(
      'How far its text is trusted, from most to least. The default depends on its source and its writer; you can only lower it.',
    ),
  visibility: z.enum(VISIBILITIES).optional().describe('private to its user, or shared in its layer.'),
  importance: unit.optional().describe('Default 0.5.'),
  confidence: unit.optional().describe('Default 1.'),
  relevance: unit.optional().describe('Relevance at creation, before decay. Default 1.'),
  decayFactor: unit.optional().describe('Factor on the configured decay. Default 1.'),
  validFrom: isoTime.optional().describe('From when it holds, or when it happened.'),
  validTo: isoTime.optional().describe('Until when it holds.'),
  expiresAt: isoTime.optional().describe('When it expires: it is hidden from then on.'),
  role: z.enum(ROLES).optional().describe('Who said it (episodic).'),
  speaker: z
    .string()
    .trim()
    .min(1)
    .max(MAX_ID_LENGTH)
    .optional()
    .describe('Who said it, by name (episodic): a question that names somebody finds what they said.'),
  turn: z.int().min(0).optional().describe('Its place in the conversation (episodic).'),
  triggerCondition: z.string().min(1).max(4096).optional().describe('When the procedure applies (procedural).'),
  procedureType: z.enum(PROCEDURE_TYPES).optional().describe('How the procedure is used (procedural).'),
});

export type EntryFields = z.output<typeof entryFieldsSchema>;
export type Source = z.output<typeof sourceSchema>;
export type KnowledgePointer = z.output<typeof knowledgePointerSchema>;
export type Metadata = z.output<typeof metadataSchema>;

/** An entry as callers see it. Fields without a value are absent. */
export const entrySchema = z
  .strictObject({
    id: entryId,
    kind: kindSchema,
    layer: layerSchema,
    identifiers: placeSchema,
    content: z.string(),
    ...entryFieldsSchema.shape,
    metadata: metadataSchema,
    tags: z.array(z.string()),
    sensitivity: z.enum(SENSITIVITIES),
    trust: z.enum(TRUSTS).describe('How far its text is trusted: the lowest of its sources.'),
    visibility: z.enum(VISIBILITIES),
    importance: unit,
    confidence: unit,
    relevance: unit,
    decayFactor: unit,
    currentRelevance: unit.optional().describe('The relevance after decay. Only if decay is on and applies.'),
    ownerId: z.string().nullable().describe('The user that it belongs to; null if it belongs to its layer.'),
    externalId: z.string().optional().describe("The caller's own name for it."),
    provenance: provenanceSchema.optional(),
    contentHash: z.string().describe('SHA-256 of the normalised content.'),
    status: z.enum(STATUSES).describe('decayed is computed on read if decay is on; such a memory is still in use.'),
    version: z.int(),
    previousVersion: z.int().nullable(),
    accessCount: z.int(),
    lastAccessedAt: isoTime.optional(),
    createdAt: isoTime,
    updatedAt: isoTime,
    embedding: z.array(z.number()).optional().describe('Only if requested.'),
  })
  .describe('A memory: a piece of remembered text with its scope, provenance and history.');

export type Entry = z.output<typeof entrySchema>;
