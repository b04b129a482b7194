/** Pools of a workflow run: everyone in the tenant who can name the run can read and write them, until it ends. */

import { z } from 'zod';
import { pathName } from './entry.ts';
import { createPoolInputSchema, WORKFLOW_POOL_TYPES } from './pool.ts';
import { paged } from './record.ts';

const workflowRunId = pathName.describe('The run of a workflow. It need not be registered; a plan may be one.');

export const workflowRunInputSchema = z.strictObject({ workflowRunId });

const { poolId, name, metadata, expiresAt, ttlSeconds } = createPoolInputSchema.shape;

export const createWorkflowPoolInputSchema = z.strictObject({
  workflowRunId,
  poolId,
  type: z.enum(WORKFLOW_POOL_TYPES).optional().describe('Default shared_memory.'),
  name,
  metadata,
  expiresAt: expiresAt.describe('When it expires. Absent: when the run ends.'),
  ttlSeconds,
});

export type CreateWorkflowPoolInput = z.output<typeof createWorkflowPoolInputSchema>;

export const listWorkflowPoolsInputSchema = workflowRunInputSchema.extend({
  type: z.enum(WORKFLOW_POOL_TYPES).optional(),
  ...paged,
});

export type ListWorkflowPoolsInput = z.output<typeof listWorkflowPoolsInputSchema>;

export const endWorkflowOutputSchema = z.strictObject({
  workflowRunId,
  deletedPools: z.int().describe('How many pools it had.'),
  deletedValues: z.int().describe('How many values of working memory it had.'),
});

export type EndWorkflowOutput = z.output<typeof endWorkflowOutputSchema>;
