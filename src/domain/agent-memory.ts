/** Working memory of an agent, in a task or in none: state for minutes, with places of its own for what agents keep. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { page, paged } from './record.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';
import { expectedState } from './working.ts';

export const DEFAULT_AGENT_TTL = 1800;

/** Where several values lie under names: those that the caller chose, the results of steps, the state of tools. */
export const AGENT_SECTIONS = ['values', 'results', 'tools'] as const;
export type AgentSection = (typeof AGENT_SECTIONS)[number];

const agentId = pathName.describe('An agent of yours. An agent that is asking can name itself only.');
const taskId = pathName.optional().describe('The task. It need not be registered. Absent: no task.');
const ttl = ttlSeconds.optional().describe(`How long it stays. Default ${DEFAULT_AGENT_TTL}.`);
const renewedTtl = ttlSeconds
  .optional()
  .describe(`How long it stays from now on. Default: as long as before; a new one ${DEFAULT_AGENT_TTL}.`);

/** Whose working memory. */
export const agentTaskSchema = z.strictObject({ agentId, taskId });

export type AgentTask = z.output<typeof agentTaskSchema>;

export const agentItemSchema = z
  .strictObject({
    agentId,
    taskId,
    key: z.string().describe('Its key, its step or its tool; for what there is one of, what it is.'),
    value: jsonSchema,
    version: z.int().describe('Never given twice: also a value that was deleted and written again has a new one.'),
    createdAt: isoTime,
    updatedAt: isoTime,
    expiresAt: isoTime.describe('From then on it is not there.'),
  })
  .describe("A value of an agent's working memory.");

export type AgentItem = z.output<typeof agentItemSchema>;

const key = pathName.describe("Names the value within the agent's task.");

export const agentKeyInputSchema = agentTaskSchema.extend({ key });

export type AgentKeyInput = z.output<typeof agentKeyInputSchema>;

export const storeAgentInputSchema = agentKeyInputSchema.extend({
  value: jsonSchema,
  ttlSeconds: ttl,
  ...expectedState,
});

export type StoreAgentInput = z.output<typeof storeAgentInputSchema>;

const section = z.enum(AGENT_SECTIONS).optional().describe('Default values: those that you stored under keys.');

export const removeAgentInputSchema = agentKeyInputSchema.extend({ section, ...expectedState });

export type RemoveAgentInput = z.output<typeof removeAgentInputSchema>;

export const agentExistsOutputSchema = z.strictObject({ exists: z.boolean() });

export const agentKeysInputSchema = agentTaskSchema.extend({ section, ...paged });

export type AgentKeysInput = z.output<typeof agentKeysInputSchema>;

export const agentKeysOutputSchema = z.strictObject({
  agentId,
  taskId,
  keys: z.array(z.string()).describe('In the order of code points.'),
  ...page,
});

export type AgentKeysOutput = z.output<typeof agentKeysOutputSchema>;

export const clearAgentOutputSchema = z.strictObject({ agentId, taskId, deletedCount: z.int() });

export type ClearAgentOutput = z.output<typeof clearAgentOutputSchema>;

export const storeTaskStateInputSchema = agentTaskSchema.extend({
  state: jsonSchema,
  ttlSeconds: ttl,
  ...expectedState,
});

const step = pathName.describe('The step that gave the result.');
const tool = pathName.describe('The tool whose state it is.');

export const agentStepInputSchema = agentTaskSchema.extend({ step });

export const storeResultInputSchema = agentStepInputSchema.extend({
  result: jsonSchema,
  ttlSeconds: ttl,
  ...expectedState,
});

export const agentToolInputSchema = agentTaskSchema.extend({ tool });

export const storeToolStateInputSchema = agentToolInputSchema.extend({
  state: jsonSchema,
  ttlSeconds: ttl,
  ...expectedState,
});

const messages = z.array(jsonSchema).describe('In their order; any JSON.');

export const storeConversationInputSchema = agentTaskSchema.extend({ messages, ttlSeconds: ttl, ...expectedState });

export const appendConversationInputSchema = agentTaskSchema.extend({ messages, ttlSeconds: renewedTtl });

const content = z.string().describe('A note.');

export const storeScratchPadInputSchema = agentTaskSchema.extend({ content, ttlSeconds: ttl, ...expectedState });

export const appendScratchPadInputSchema = agentTaskSchema.extend({ content, ttlSeconds: renewedTtl });

export const persistAgentInputSchema = agentTaskSchema.extend({
  ttlSeconds: ttlSeconds
    .optional()
    .describe('How long it can be loaded. Default: each value until it would have expired.'),
});

export type PersistAgentInput = z.output<typeof persistAgentInputSchema>;

export const persistAgentOutputSchema = z.strictObject({
  agentId,
  taskId,
  persistedCount: z.int().describe('How many values were persisted; what was persisted before is replaced.'),
});

export type PersistAgentOutput = z.output<typeof persistAgentOutputSchema>;

export const loadAgentOutputSchema = z.strictObject({
  agentId,
  taskId,
  loadedCount: z.int().describe('How many values were written back.'),
  expiredCount: z.int().describe('How many were left out, because their time is over.'),
});

export type LoadAgentOutput = z.output<typeof loadAgentOutputSchema>;

const target = {
  targetAgentId: identifier.optional().describe('The agent with whom to share.'),
  targetUserId: identifier
    .optional()
    .describe(
      'Whose agent that is; default yours. Without targetAgentId: the user as such, with all agents of theirs.',
    ),
} as const;

const sharedKeyInputSchema = z.strictObject({
  agentId,
  key: pathName.describe('Names the value among what you share.'),
});

export const shareInputSchema = sharedKeyInputSchema.extend({
  ...target,
  value: jsonSchema.optional().describe('What to share. Or `from`, to pass on what was shared with you.'),
  from: z
    .strictObject({ userId: identifier.optional(), agentId: identifier })
    .optional()
    .describe('Who shared it with you under this key; without userId an agent of yours.'),
  ttlSeconds: ttlSeconds
    .optional()
    .describe(`How long they have it. Default ${DEFAULT_AGENT_TTL}; passed on, never longer than you have it.`),
});

export type ShareInput = z.output<typeof shareInputSchema>;

export const shareOutputSchema = z.strictObject({
  key: z.string(),
  sourceUserId: z.string(),
  sourceAgentId: z.string(),
  targetUserId: z.string(),
  targetAgentId: z.string().optional(),
  version: z.int(),
  expiresAt: isoTime,
});

export type ShareOutput = z.output<typeof shareOutputSchema>;

export const withdrawInputSchema = sharedKeyInputSchema.extend(target);

export type WithdrawInput = z.output<typeof withdrawInputSchema>;

export const retrieveSharedInputSchema = sharedKeyInputSchema.extend({
  sourceAgentId: identifier.describe('The agent who shared it.'),
  sourceUserId: identifier.optional().describe('Whose agent that is; default yours.'),
});

export type RetrieveSharedInput = z.output<typeof retrieveSharedInputSchema>;

export const sharedItemSchema = z
  .strictObject({
    key: z.string(),
    value: jsonSchema,
    sourceUserId: z.string(),
    sourceAgentId: z.string(),
    chain: z
      .array(z.strictObject({ userId: z.string(), agentId: z.string() }))
      .describe('Through whose hands it came: who shared it first is the first.'),
    version: z.int(),
    sharedAt: isoTime,
    expiresAt: isoTime,
  })
  .describe('What another agent shared.');

export type SharedItem = z.output<typeof sharedItemSchema>;
