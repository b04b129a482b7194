/** Workflow runs: pools for all participants, deleted when the run ends. */

import { listPoolsOutputSchema, poolSchema, type Pool } from '../domain/pool.ts';
import {
  createWorkflowPoolInputSchema,
  endWorkflowOutputSchema,
  listWorkflowPoolsInputSchema,
  workflowRunInputSchema,
} from '../domain/workflow.ts';
import { operation } from './operation.ts';

const GROUP = 'Workflows';
const RUN_PATH = '/v1/memory/workflows/{workflowRunId}';
const RUN = { workflowRunId: 'run-42' };

const POOL: Pool = {
  poolId: 'run-42-board',
  ownerId: 'local',
  type: 'blackboard',
  scope: 'task',
  scopeId: 'run-42',
  ...RUN,
  metadata: {},
  access: { read: [], write: [], publicRead: true },
  version: 7,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const workflowOperations = {
  'workflows.createPool': operation({
    group: GROUP,
    summary: 'Create a pool for a run of a workflow.',
    description:
      'Everyone in the tenant who can name it or its run can read and write it with the operations on pools, without a ' +
      'grant. It is deleted when the run ends. An id that is taken is refused with 409.',
    input: createWorkflowPoolInputSchema,
    output: poolSchema,
    http: { method: 'POST', path: `${RUN_PATH}/pools`, status: 201 },
    errors: ['VERSION_CONFLICT'],
    isRepeatable: false,
    example: { input: { ...RUN, poolId: 'run-42-board', type: 'blackboard' }, output: POOL },
  }),
  'workflows.listPools': operation({
    group: GROUP,
    summary: 'List the pools of a run, newest first.',
    input: listWorkflowPoolsInputSchema,
    output: listPoolsOutputSchema,
    http: { method: 'GET', path: `${RUN_PATH}/pools`, status: 200 },
    example: { input: RUN, output: { pools: [POOL], count: 1, nextCursor: null } },
  }),
  'workflows.end': operation({
    group: GROUP,
    summary: 'End a run: remove its pools and its working memory.',
    description: 'For everyone in the tenant who can name the run. Ending it twice changes nothing.',
    input: workflowRunInputSchema,
    output: endWorkflowOutputSchema,
    http: { method: 'POST', path: `${RUN_PATH}/end`, status: 200 },
    example: { input: RUN, output: { ...RUN, deletedPools: 2, deletedValues: 5 } },
  }),
} as const;
