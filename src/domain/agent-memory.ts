/** Working memory of an agent, in a task or in none: state for minutes, with sections for what agents keep. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { page, paged } from './record.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';
import { expectedState } from './working.ts';

export const DEFAULT_AGENT_TTL = 1800;

/** Sections that hold several named values: values under keys, results of steps, states of tools. */
export const AGENT_SECTIONS = ['values', 'results', 'tools'] as const;
export type AgentSection = (typeof AGENT_SECTIONS)[number];

const agentId = pathName.describe('An agent of yours. An agent can only name itself.');
const taskId = pathName.optional().describe('The task. It need not be registered. Absent: no task.');
const ttl = ttlSeconds.optional().describe(`How long it stays. Default ${DEFAULT_AGENT_TTL}.`);
const renewedTtl = ttlSeconds
  .optional()
  .describe(`How long it stays from now on. Default: as before; for a new value ${DEFAULT_AGENT_TTL}.`);

/** Whose working memory. */
export const agentTaskSchema = z.strictObject({ agentId, taskId });

export type AgentTask = z.output<typeof agentTaskSchema>;

export const agentItemSchema = z
  .strictObject({
    agentId,
    taskId,
    key: z
      .string()
      .describe('Its key, step or tool; for the task state, the conversation and the scratch pad, that name.'),
    value: jsonSchema,
    version: z.int().describe('Never reused: a value that was deleted and written again gets a new one.'),
    createdAt: isoTime,
    updatedAt: isoTime,
    expiresAt: isoTime.describe('When it expires.'),
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

const section = z.enum(AGENT_SECTIONS).optional().describe('Default `values`: those that you stored under keys.');

export const removeAgentInputSchema = agentKeyInputSchema.extend({ section, ...expectedState });

export type RemoveAgentInput = z.output<typeof removeAgentInputSchema>;

export const agentExistsOutputSchema = z.strictObject({ exists: z.boolean() });

export const agentKeysInputSchema = agentTaskSchema.extend({ section, ...paged });

export type AgentKeysInput = z.output<typeof agentKeysInputSchema>;

export const agentKeysOutputSchema = z.strictObject({
  agentId,
  taskId,
  keys: z.array(z.string()).describe('Sorted by code point.'),
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

const step = pathName.describe('The step that produced the result.');
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

const messages = z.array(jsonSchema).describe('In order; any JSON.');

export const storeConversationInputSchema = agentTaskSchema.extend({ messages, ttlSeconds: ttl, ...expectedState });

export const appendConversationInputSchema = agentTaskSchema.extend({ messages, ttlSeconds: renewedTtl });

const content = z.string().describe('A note.');

export const storeScratchPadInputSchema = agentTaskSchema.extend({ content, ttlSeconds: ttl, ...expectedState });

export const appendScratchPadInputSchema = agentTaskSchema.extend({ content, ttlSeconds: renewedTtl });

export const persistAgentInputSchema = agentTaskSchema.extend({
  ttlSeconds: ttlSeconds.optional().describe('How long it can be loaded. Default: each value until its own expiry.'),
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
  expiredCount: z.int().describe('How many were left out because they had expired.'),
});

export type LoadAgentOutput = z.output<typeof loadAgentOutputSchema>;

const target = {
  targetAgentId: identifier.optional().describe('The agent to share with.'),
  targetUserId: identifier
    .optional()
    .describe('Whose agent that is; default yours. Without targetAgentId: the user, with all of their agents.'),
} as const;

const sharedKeyInputSchema = z.strictObject({
  agentId,
  key: pathName.describe('Names the value among what you share.'),
});

export const shareInputSchema = sharedKeyInputSchema.extend({
  ...target,
  value: jsonSchema.optional().describe('What to share. Use `from` instead to pass on what was shared with you.'),
  from: z
    .strictObject({ userId: identifier.optional(), agentId: identifier })
    .optional()
    .describe('Who shared it with you under this key; without userId, an agent of yours.'),
  ttlSeconds: ttlSeconds
    .optional()
    .describe(`How long they have it. Default ${DEFAULT_AGENT_TTL}; if passed on, never longer than you have it.`),
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
      .describe('Everyone it came through, the original sharer first.'),
    version: z.int(),
    sharedAt: isoTime,
    expiresAt: isoTime,
  })
  .describe('What another agent shared.');

export type SharedItem = z.output<typeof sharedItemSchema>;
