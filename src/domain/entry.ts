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

/** What can be written in UTC with a year of four digits, as every time is given back. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

export const isoTime = z.iso
  .datetime({ offset: true })
  .refine((time) => !(Date.parse(time) < EARLIEST || Date.parse(time) > LATEST), 'outside the years 0000 to 9999 (UTC)')
  .describe('ISO 8601 time.');
export const identifier = z.string().min(1).max(MAX_ID_LENGTH);

/** A name that can stand as one part of a path: a URL cannot hold a dot segment, however it is encoded. */
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

/** Where an entry lies: what a caller can name, and the context that holds it. */
const placeSchema = identifiersSchema.extend({
  contextId: identifier.optional().describe('The context that holds it; see /v1/memory/contexts.'),
});

export const costSchema = z.strictObject({
  inputTokens: z.int(),
  outputTokens: z.int(),
  price: z.number().optional().describe('By the configured prices, in their currency.'),
  sharedBy: z.int().optional().describe('How many memories and facts came of what it took. Default this one alone.'),
});

export type Cost = z.output<typeof costSchema>;

const quoteSchema = z.strictObject({
  entryId: entryId.describe('The episode. Who may read it can read what is quoted.'),
  version: z.int().describe('Its version that was read.'),
  start: z.int().min(0).describe('In UTF-16 code units of its content, as JavaScript counts.'),
  end: z.int().min(0).describe('The first after it.'),
});

export const provenanceSchema = z
  .strictObject({
    mergedFrom: z.array(entryId).optional().describe('Near-duplicates that were merged into it and archived.'),
    mergedInto: entryId.optional().describe('The memory that it was merged into.'),
    distinctFrom: z.array(entryId).optional().describe('Memories that it is not merged into again: that was undone.'),
    promotedFrom: z.string().optional().describe('The short-term memory that it was: its session and key.'),
    promotedFromEntry: entryId.optional().describe('The memory of another layer that was promoted to it.'),
    promotedTo: entryId.optional().describe('The memory that it became when its session ended.'),
    derivedFrom: z
      .array(entryId)
      .optional()
      .describe('What its text was made from. Deleting one of these for good deletes it too.'),
    alsoFrom: z
      .array(entryId)
      .optional()
      .describe('Further episodes that say all of it. While there is one of these it stays when the other is deleted.'),
    quotes: z.array(quoteSchema).optional().describe('The spans of a conversation that it came from.'),
    distilledInto: entryId.optional().describe('The knowledge that was made of this episode.'),
    extracted: z
      .string()
      .optional()
      .describe(
        'Hash of the content in which a language model looked for knowledge; with @ and up to where, if not at all.',
      ),
    extractedInto: z.array(entryId).optional().describe('The memories that were extracted from this episode.'),
    extractedFacts: z.array(entryId).optional().describe('The facts that were extracted from this episode.'),
    forgotten: z
      .array(z.strictObject({ turn: z.int(), mark: z.string() }))
      .optional()
      .describe('Turns after this one that were deleted, so that they do not come back by being sent again.'),
    model: z.string().optional().describe('The language model that wrote it.'),
    cost: costSchema.optional().describe('What writing it took.'),
    runId: entryId.optional().describe('The maintenance run that made this version of it.'),
    quarantined: z.array(z.enum(SUSPICIONS)).optional().describe('Why it was laid apart until somebody looks at it.'),
  })
  .describe('How it came about, where Lamina did it by itself.');

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

/** What begins so in metadata is Lamina's own to write: by it entries of a set of knowledge are known. */
export const RESERVED_PREFIX = 'knowledge.';

/** Metadata as a caller may write it. */
export const writtenMetadataSchema = metadataSchema
  .refine(
    (metadata) => !Object.keys(metadata).some((key) => key.startsWith(RESERVED_PREFIX)),
    `what begins with "${RESERVED_PREFIX}" is Lamina's own to write; leave it out, and it stays as it is`,
  )
  .describe('Free JSON; merged key by key on update.');

/** The fields of an entry that a caller may write, at creation and later. */
export const entryFieldsSchema = z.strictObject({
  metadata: writtenMetadataSchema.optional(),
  tags: z.array(z.string().min(1).max(100)).max(100).optional(),
  source: sourceSchema.optional(),
  knowledgePointer: knowledgePointerSchema.optional().describe('The knowledge item that this memory stands for.'),
  sensitivity: z.enum(SENSITIVITIES).optional().describe('Default internal.'),
  trust: z
    .enum(TRUSTS)
    .optional()
    .describe(
      'How far its text is trusted, from most to least. Default by its source and by who writes; can only lower that.',
    ),
  visibility: z.enum(VISIBILITIES).optional().describe('private to its user, or shared in its layer.'),
  importance: unit.optional().describe('Default 0.5.'),
  confidence: unit.optional().describe('Default 1.'),
  relevance: unit.optional().describe('Relevance at creation, before decay. Default 1.'),
  decayFactor: unit.optional().describe('Share of the configured decay that applies. Default 1.'),
  validFrom: isoTime.optional().describe('When it began to hold, or when it happened.'),
  validTo: isoTime.optional().describe('When it ceased to hold.'),
  expiresAt: isoTime.optional().describe('From then on it is out of sight.'),
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
    trust: z.enum(TRUSTS).describe('How far its text is trusted: the least of what it was made from.'),
    visibility: z.enum(VISIBILITIES),
    importance: unit,
    confidence: unit,
    relevance: unit,
    decayFactor: unit,
    currentRelevance: unit.optional().describe('The relevance as it is now. Only where decay is on and applies.'),
    ownerId: z.string().nullable().describe('The user to whom it belongs; null when it belongs to its layer.'),
    externalId: z.string().optional().describe("The caller's own name for it."),
    provenance: provenanceSchema.optional(),
    contentHash: z.string().describe('SHA-256 of the normalised content.'),
    status: z.enum(STATUSES).describe('decayed is told when it is read, where decay is on: it is still in use.'),
    version: z.int(),
    previousVersion: z.int().nullable(),
    accessCount: z.int(),
    lastAccessedAt: isoTime.optional(),
    createdAt: isoTime,
    updatedAt: isoTime,
    embedding: z.array(z.number()).optional().describe('Only where asked for.'),
  })
  .describe('A memory: a piece of remembered text with its scope, provenance and history.');

export type Entry = z.output<typeof entrySchema>;
