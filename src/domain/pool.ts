/** Pools: values that several agents share, under dotted keys, with an access list. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { expected, page, paged, payload, recorded } from './record.ts';
import { ACCESS_LEVELS, accessControlSchema, accessInputSchema } from './sharing.ts';
import { ttlSeconds } from './time-to-live.ts';

/** The first four are for agents; the last three belong to a run of a workflow and go with it. */
export const POOL_TYPES = ['shared', 'agent_private', 'team_shared', 'task_scoped'] as const;
export const WORKFLOW_POOL_TYPES = ['shared_memory', 'tool_cache', 'blackboard'] as const;
export const POOL_SCOPES = ['global', 'account', 'team', 'agent', 'task'] as const;

export type PoolType = (typeof POOL_TYPES)[number];
export type PoolScope = (typeof POOL_SCOPES)[number];

/** What a pool is about where nobody says. */
export const DEFAULT_POOL_SCOPES: Readonly<Record<PoolType, PoolScope>> = {
  shared: 'account',
  agent_private: 'agent',
  team_shared: 'team',
  task_scoped: 'task',
};

const poolName = z.string().min(1).max(255).optional();
const scopeId = identifier.optional().describe('The team, agent or task.');
const endsAt = isoTime.describe('From then on it is not there. Absent: never.');
const endsIn = ttlSeconds.optional().describe('Instead of the time at which it ends: so long from now.');

/** A pool as it is stored: what it holds is state, under its id. */
export const poolSchema = z
  .strictObject({
    poolId: pathName,
    ownerId: z.string().describe('The user who made it, and who alone manages it.'),
    agentId: identifier.optional().describe('The agent of that user to whom it belongs.'),
    type: z.enum([...POOL_TYPES, ...WORKFLOW_POOL_TYPES]),
    scope: z.enum(POOL_SCOPES).describe('What it is about. `global` and `account` are both the tenant.'),
    scopeId,
    workflowRunId: pathName.optional().describe('The run of a workflow with which it goes.'),
    name: poolName,
    metadata: payload,
    access: accessControlSchema,
    expiresAt: endsAt.optional(),
    ...recorded,
  })
  .describe('A pool: values that several agents share.');

export type Pool = z.output<typeof poolSchema>;

/** A pool with whom the database lets see it: see {@link membersOf}. */
export interface PoolRecord extends Pool {
  readonly members: readonly string[];
}

export const poolIdInputSchema = z.strictObject({ poolId: pathName });

export const createPoolInputSchema = z.strictObject({
  poolId: pathName.optional().describe('Default: a new one.'),
  type: z.enum(POOL_TYPES).optional().describe('Default shared.'),
  scope: z
    .enum(POOL_SCOPES)
    .optional()
    .describe(
      'What it is about. Default by type: account, agent, team or task. `global` and `account` are the tenant.',
    ),
  scopeId: scopeId.describe('The team, agent or task. Scopes team and task need it; of agent it is you by default.'),
  name: poolName,
  metadata: payload.optional(),
  access: accessInputSchema.optional().describe('Default: everyone of the tenant reads a shared one; else nobody.'),
  expiresAt: endsAt.optional(),
  ttlSeconds: endsIn,
});

export type CreatePoolInput = z.output<typeof createPoolInputSchema>;

export const updatePoolInputSchema = z.strictObject({
  poolId: pathName,
  name: poolName,
  metadata: payload.optional(),
  access: accessInputSchema.optional().describe('Takes the place of the whole list.'),
  expiresAt: endsAt.nullable().optional().describe('From then on it is not there. Null: never.'),
  ttlSeconds: endsIn,
  ...expected,
});

export type UpdatePoolInput = z.output<typeof updatePoolInputSchema>;

export const listPoolsInputSchema = z.strictObject({
  type: z.enum([...POOL_TYPES, ...WORKFLOW_POOL_TYPES]).optional(),
  scope: z.enum(POOL_SCOPES).optional(),
  scopeId,
  workflowRunId: pathName.optional().describe('The pools of this run of a workflow. Without it there are none of any.'),
  ...paged,
});

export type ListPoolsInput = z.output<typeof listPoolsInputSchema>;

export const listPoolsOutputSchema = z.strictObject({ pools: z.array(poolSchema).describe('Newest first.'), ...page });

export type ListPoolsOutput = z.output<typeof listPoolsOutputSchema>;

const agentId = pathName.describe("A user (a person or an autonomous agent), or an agent of the owner's own.");

export const grantPoolInputSchema = z.strictObject({
  poolId: pathName,
  agentId,
  level: z.enum(ACCESS_LEVELS).describe('Who may write may read too.'),
});

export type GrantPoolInput = z.output<typeof grantPoolInputSchema>;

export const poolAgentInputSchema = z.strictObject({ poolId: pathName, agentId });

export type PoolAgentInput = z.output<typeof poolAgentInputSchema>;

export const poolAccessOutputSchema = z.strictObject({
  poolId: pathName,
  agentId,
  accessible: z.boolean().describe('Whether it may read, or write, at all.'),
  read: z.boolean(),
  write: z.boolean(),
});

export type PoolAccess = z.output<typeof poolAccessOutputSchema>;

export const poolStatisticsSchema = z.strictObject({
  poolId: pathName,
  entryCount: z.int().describe('How many first parts of keys have a value.'),
  bytes: z.int().describe('Of the values, as JSON.'),
  accesses: z.int().describe('How often they were read; counted soon after.'),
});

export type PoolStatistics = z.output<typeof poolStatisticsSchema>;

/** That a value of a pool came to be, was changed, or went. */
export const poolChangeSchema = z
  .strictObject({
    id: z.string().describe('Its place in the log: go on after it, and nothing is missed or given twice.'),
    type: z.enum(['created', 'updated', 'deleted']),
    poolId: pathName,
    key: z.string().describe('The first part of the dotted key.'),
    version: z.int().describe('The version that came to be, or that went.'),
    at: isoTime,
  })
  .describe('That something happened to a value of a pool.');

export type PoolChange = z.output<typeof poolChangeSchema>;
