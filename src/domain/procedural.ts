/** What procedural memory takes and answers: rules and examples that an agent follows. */

import { z } from 'zod';
import { entryFieldsSchema, entryId, identifier, isoTime, metadataSchema } from './entry.ts';
import { PROCEDURE_TYPES, SENSITIVITIES, TRUSTS } from './kind.ts';
import { searchInputSchema } from './recall.ts';
import { page, paged } from './record.ts';
import { addInputSchema, quarantinedField, WRITE_STATUSES } from './remember.ts';
import { relevanceShape, semanticSearchInputSchema } from './semantic.ts';

const procedureTypeSchema = z.enum(PROCEDURE_TYPES).describe('How it is used.');

export const proceduralAddInputSchema = z.strictObject({
  agentId: identifier.optional().describe("Which agent's memory. Default: the calling agent."),
  content: addInputSchema.shape.content,
  triggerCondition: entryFieldsSchema.shape.triggerCondition.describe('When it applies; searches match this.'),
  procedureType: procedureTypeSchema,
  metadata: entryFieldsSchema.shape.metadata,
  tags: entryFieldsSchema.shape.tags,
  source: entryFieldsSchema.shape.source,
  sensitivity: entryFieldsSchema.shape.sensitivity,
  trust: entryFieldsSchema.shape.trust,
  importance: entryFieldsSchema.shape.importance,
  confidence: entryFieldsSchema.shape.confidence,
  expiresAt: entryFieldsSchema.shape.expiresAt,
});

export type ProceduralAddInput = z.output<typeof proceduralAddInputSchema>;

const procedureShape = {
  id: entryId,
  agentId: identifier,
  userId: identifier,
  content: z.string(),
  triggerCondition: z.string().optional(),
  procedureType: procedureTypeSchema.optional(),
  metadata: metadataSchema,
  tags: z.array(z.string()),
  sensitivity: z.enum(SENSITIVITIES),
  trust: z.enum(TRUSTS),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
};

const procedureSchema = z.strictObject(procedureShape).describe('A rule or an example that an agent follows.');

export type Procedure = z.output<typeof procedureSchema>;

export const proceduralAddOutputSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged or updated if the agent already had this content.'),
  quarantined: quarantinedField,
  ...procedureShape,
});

export type ProceduralAddOutput = z.output<typeof proceduralAddOutputSchema>;

const which = {
  agentId: identifier
    .optional()
    .describe('Default: the calling agent, or all agents of the user if there are at most 100.'),
  procedureType: z.enum(PROCEDURE_TYPES).optional().describe('Only these.'),
};

export const proceduralListInputSchema = z.strictObject({
  ...which,
  ...paged,
});

export type ProceduralListInput = z.output<typeof proceduralListInputSchema>;

export const proceduralListOutputSchema = z.strictObject({
  procedures: z.array(procedureSchema).describe('The newest first.'),
  ...page,
});

export type ProceduralListOutput = z.output<typeof proceduralListOutputSchema>;

export const proceduralContextInputSchema = z.strictObject({
  query: searchInputSchema.shape.query.describe(
    'What the agent is about to deal with, such as the question it was asked.',
  ),
  ...which,
  limit: semanticSearchInputSchema.shape.limit,
  threshold: semanticSearchInputSchema.shape.threshold,
  mode: searchInputSchema.shape.mode,
});

export type ProceduralContextInput = z.output<typeof proceduralContextInputSchema>;

const foundProcedureSchema = z
  .strictObject({ ...procedureShape, ...relevanceShape })
  .describe('A procedure, with how well it applies.');

export const proceduralContextOutputSchema = z.strictObject({
  procedures: z.array(foundProcedureSchema).describe('Most relevant first.'),
  count: z.int().describe('How many procedures there are.'),
  systemPrompts: z.array(z.string()).describe('The contents of those that are system prompts, in the same order.'),
  fewShotExamples: z.array(z.string()).describe('The contents of those that are examples, in the same order.'),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
});

export type ProceduralContextOutput = z.output<typeof proceduralContextOutputSchema>;
