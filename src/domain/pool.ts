/** Pools: values that several agents share, under dotted keys, with an access list. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { recorded } from './record.ts';
import { accessControlSchema } from './sharing.ts';

/** The first four are for agents; the last three belong to a run of a workflow and go with it. */
export const POOL_TYPES = ['shared', 'agent_private', 'team_shared', 'task_scoped'] as const;
export const WORKFLOW_POOL_TYPES = ['shared_memory', 'tool_cache', 'blackboard'] as const;
export const POOL_SCOPES = ['global', 'account', 'team', 'agent', 'task'] as const;

/** A pool as it is stored: what it holds is state, under its id. */
export const poolSchema = z
  .strictObject({
    poolId: pathName,
    ownerId: z.string().describe('The user who made it, and who alone manages it.'),
    agentId: identifier.optional().describe('The agent of that user to whom it belongs.'),
    type: z.enum([...POOL_TYPES, ...WORKFLOW_POOL_TYPES]),
    scope: z.enum(POOL_SCOPES),
    scopeId: identifier.optional().describe('The team, agent or task.'),
    workflowRunId: identifier.optional().describe('The run of a workflow with which it goes.'),
    name: z.string().max(255).optional(),
    metadata: z.record(z.string(), z.unknown()),
    access: accessControlSchema,
    expiresAt: isoTime.optional().describe('From then on it is not there. Absent: never.'),
    ...recorded,
  })
  .describe('A pool: values that several agents share.');

export type Pool = z.output<typeof poolSchema>;

/** A pool with whom the database lets see it: see {@link membersOf}. */
export interface PoolRecord extends Pool {
  readonly members: readonly string[];
}

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
