/** What episodic memory takes and answers: what happened between a user and an agent, in order. */

import { z } from 'zod';
import { entryFieldsSchema, entryId, identifier, isoTime, metadataSchema, sourceSchema } from './entry.ts';
import { ROLES, SENSITIVITIES, TRUSTS } from './kind.ts';
import { searchInputSchema } from './recall.ts';
import { page, paged } from './record.ts';
import { addInputSchema, quarantinedField, WRITE_STATUSES } from './remember.ts';
import { relevanceShape, semanticSearchInputSchema } from './semantic.ts';

const roleSchema = z.enum(ROLES).describe('Who said it.');

export const episodicLogInputSchema = z.strictObject({
  agentId: identifier.optional().describe("Which agent's memory. Default: the calling agent."),
  role: roleSchema,
  content: addInputSchema.shape.content,
  sessionId: identifier.optional().describe('The conversation that it belongs to.'),
  speaker: entryFieldsSchema.shape.speaker,
  turn: entryFieldsSchema.shape.turn,
  metadata: entryFieldsSchema.shape.metadata,
  occurredAt: isoTime.optional().describe('When it happened. Default now.'),
  id: entryId.optional().describe('A UUID of your own, which makes retries safe; default a new UUIDv7.'),
  tags: entryFieldsSchema.shape.tags,
  source: entryFieldsSchema.shape.source,
  sensitivity: entryFieldsSchema.shape.sensitivity,
  trust: entryFieldsSchema.shape.trust,
  importance: entryFieldsSchema.shape.importance,
  expiresAt: entryFieldsSchema.shape.expiresAt,
});

export type EpisodicLogInput = z.output<typeof episodicLogInputSchema>;

const episodeShape = {
  id: entryId,
  agentId: identifier,
  userId: identifier,
  role: roleSchema.optional(),
  content: z.string(),
  sessionId: identifier.optional(),
  speaker: entryFieldsSchema.shape.speaker,
  turn: entryFieldsSchema.shape.turn,
  metadata: metadataSchema,
  tags: z.array(z.string()),
  source: sourceSchema.optional(),
  sensitivity: z.enum(SENSITIVITIES),
  trust: z.enum(TRUSTS),
  occurredAt: isoTime.describe('When it happened.'),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
};

const episodeSchema = z.strictObject(episodeShape).describe('Something that was said or done.');

export type Episode = z.output<typeof episodeSchema>;

export const episodicLogOutputSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('created, or unchanged when the same id was sent again.'),
  quarantined: quarantinedField,
  ...episodeShape,
});

export type EpisodicLogOutput = z.output<typeof episodicLogOutputSchema>;

const which = {
  agentId: identifier
    .optional()
    .describe('Default: the calling agent, or all agents of the user if there are at most 100.'),
  sessionId: identifier.optional().describe('Only this conversation.'),
  role: z.enum(ROLES).optional().describe('Only what this role said.'),
  from: isoTime.optional().describe('Only what happened then or later.'),
  to: isoTime.optional().describe('Only what happened then or earlier.'),
};

export const episodicRecentInputSchema = z.strictObject({
  ...which,
  ...paged,
});

export type EpisodicRecentInput = z.output<typeof episodicRecentInputSchema>;

export const episodicRecentOutputSchema = z.strictObject({
  episodes: z.array(episodeSchema).describe('The latest first.'),
  ...page,
});

export type EpisodicRecentOutput = z.output<typeof episodicRecentOutputSchema>;

export const episodicSearchInputSchema = z.strictObject({
  query: searchInputSchema.shape.query,
  ...which,
  limit: semanticSearchInputSchema.shape.limit,
  threshold: semanticSearchInputSchema.shape.threshold,
  mode: searchInputSchema.shape.mode,
});

export type EpisodicSearchInput = z.output<typeof episodicSearchInputSchema>;

const foundEpisodeSchema = z
  .strictObject({ ...episodeShape, ...relevanceShape })
  .describe('An episode, with how well it matches.');

export const episodicSearchOutputSchema = z.strictObject({
  results: z.array(foundEpisodeSchema).describe('Best first.'),
  count: z.int().describe('How many results there are.'),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
});

export type EpisodicSearchOutput = z.output<typeof episodicSearchOutputSchema>;
