/** Pools: values that several agents share, under dotted keys, with an access list. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { expected, page, paged, payload, recorded } from './record.ts';
import { ACCESS_LEVELS, accessControlSchema, accessInputSchema } from './sharing.ts';
import { ttlSeconds } from './time-to-live.ts';

/** The first four are for agents; the last three belong to a workflow run and are deleted with it. */
export const POOL_TYPES = ['shared', 'agent_private', 'team_shared', 'task_scoped'] as const;
export const WORKFLOW_POOL_TYPES = ['shared_memory', 'tool_cache', 'blackboard'] as const;
export const POOL_SCOPES = ['global', 'account', 'team', 'agent', 'task'] as const;

export type PoolType = (typeof POOL_TYPES)[number];
export type PoolScope = (typeof POOL_SCOPES)[number];

/** The default scope of a pool. */
export const DEFAULT_POOL_SCOPES: Readonly<Record<PoolType, PoolScope>> = {
  shared: 'account',
  agent_private: 'agent',
  team_shared: 'team',
  task_scoped: 'task',
};

const poolName = z.string().min(1).max(255).optional();
const scopeId = identifier.optional().describe('The team, agent or task.');
const endsAt = isoTime.describe('When it expires. Absent: never.');
const endsIn = ttlSeconds.optional().describe('Instead of an expiry time: seconds from now.');

/** A pool as it is stored: what it holds is state, under its id. */
export const poolSchema = z
  .strictObject({
    poolId: pathName,
    ownerId: z.string().describe('The user who created it and who alone manages it.'),
    agentId: identifier.optional().describe('The agent of that user that it belongs to.'),
    type: z.enum([...POOL_TYPES, ...WORKFLOW_POOL_TYPES]),
    scope: z.enum(POOL_SCOPES).describe('What it is about. `global` and `account` are both the tenant.'),
    scopeId,
    workflowRunId: pathName.optional().describe('The workflow run that it is deleted with.'),
    name: poolName,
    metadata: payload,
    access: accessControlSchema,
    expiresAt: endsAt.optional(),
    ...recorded,
  })
  .describe('A pool: values that several agents share.');

export type Pool = z.output<typeof poolSchema>;

/** A pool with the members that the database lets see it: see {@link membersOf}. */
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
  scopeId: scopeId.describe(
    'The team, agent or task. Required for scopes team and task; for agent it defaults to you.',
  ),
  name: poolName,
  metadata: payload.optional(),
  access: accessInputSchema
    .optional()
    .describe('Default: a shared pool can be read by everyone in the tenant, any other by nobody else.'),
  expiresAt: endsAt.optional(),
  ttlSeconds: endsIn,
});

export type CreatePoolInput = z.output<typeof createPoolInputSchema>;

export const updatePoolInputSchema = z.strictObject({
  poolId: pathName,
  name: poolName,
  metadata: payload.optional(),
  access: accessInputSchema.optional().describe('Replaces the whole list.'),
  expiresAt: endsAt.nullable().optional().describe('When it expires. Null: never.'),
  ttlSeconds: endsIn,
  ...expected,
});

export type UpdatePoolInput = z.output<typeof updatePoolInputSchema>;

export const listPoolsInputSchema = z.strictObject({
  type: z.enum([...POOL_TYPES, ...WORKFLOW_POOL_TYPES]).optional(),
  scope: z.enum(POOL_SCOPES).optional(),
  scopeId,
  workflowRunId: pathName
    .optional()
    .describe('Only the pools of this workflow run. Without it, pools of workflows are not listed.'),
  ...paged,
});

export type ListPoolsInput = z.output<typeof listPoolsInputSchema>;

export const listPoolsOutputSchema = z.strictObject({ pools: z.array(poolSchema).describe('Newest first.'), ...page });

export type ListPoolsOutput = z.output<typeof listPoolsOutputSchema>;

const agentId = pathName.describe("A user (a person or an autonomous agent), or one of the owner's agents.");

export const grantPoolInputSchema = z.strictObject({
  poolId: pathName,
  agentId,
  level: z.enum(ACCESS_LEVELS).describe('write includes read.'),
});

export type GrantPoolInput = z.output<typeof grantPoolInputSchema>;

export const poolAgentInputSchema = z.strictObject({ poolId: pathName, agentId });

export type PoolAgentInput = z.output<typeof poolAgentInputSchema>;

export const poolAccessOutputSchema = z.strictObject({
  poolId: pathName,
  agentId,
  accessible: z.boolean().describe('Whether it has any access.'),
  read: z.boolean(),
  write: z.boolean(),
});

export type PoolAccess = z.output<typeof poolAccessOutputSchema>;

export const poolStatisticsSchema = z.strictObject({
  poolId: pathName,
  entryCount: z.int().describe('Number of top-level keys.'),
  bytes: z.int().describe('Of the values, as JSON.'),
  accesses: z.int().describe('How often they were read; the count lags slightly.'),
});

export type PoolStatistics = z.output<typeof poolStatisticsSchema>;

/** A value of a pool was created, changed or deleted. */
export const poolChangeSchema = z
  .strictObject({
    id: z.string().describe('Its position in the log: resume after it, and nothing is missed or repeated.'),
    type: z.enum(['created', 'updated', 'deleted']),
    poolId: pathName,
    key: z.string().describe('The first part of the dotted key.'),
    version: z.int().describe('The new version, or the one that was deleted.'),
    at: isoTime,
  })
  .describe('A change to a value of a pool.');

export type PoolChange = z.output<typeof poolChangeSchema>;
