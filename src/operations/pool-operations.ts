/** Pools: values that several agents share, under dotted keys, with an access list. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  createPoolInputSchema,
  grantPoolInputSchema,
  listPoolsInputSchema,
  listPoolsOutputSchema,
  poolAccessOutputSchema,
  poolAgentInputSchema,
  poolIdInputSchema,
  poolSchema,
  poolStatisticsSchema,
  updatePoolInputSchema,
  type Pool,
} from '../domain/pool.ts';
import { operation } from './operation.ts';

const GROUP = 'Pools';
const PATH = '/v1/memory/pools';
const POOL_PATH = `${PATH}/{poolId}`;
const ID = { poolId: 'launch-team' };

const POOL: Pool = {
  ...ID,
  ownerId: 'local',
  type: 'team_shared',
  scope: 'team',
  scopeId: 'launch',
  name: 'What the launch team knows',
  metadata: {},
  access: { read: ['reviewer'], write: ['planner'], publicRead: false },
  version: 7,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const poolOperations = {
  'pools.create': operation({
    group: GROUP,
    summary: 'Make a pool.',
    description:
      'You own and manage it. Its access list says who else may read and write; its type and scope say what it is for, ' +
      'and give nobody access. An `agent_private` pool is for its agent alone and is never shared. An id that is taken is ' +
      'refused with 409.',
    input: createPoolInputSchema,
    output: poolSchema,
    http: { method: 'POST', path: PATH, status: 201 },
    errors: ['VERSION_CONFLICT'],
    isRepeatable: false,
    example: {
      input: {
        ...ID,
        type: 'team_shared',
        scopeId: 'launch',
        name: 'What the launch team knows',
        access: { read: ['reviewer'], write: ['planner'] },
      },
      output: POOL,
    },
  }),
  'pools.list': operation({
    group: GROUP,
    summary: 'List the pools that you may read, newest first.',
    description: 'Pools of a workflow are listed only with `workflow_run_id`: they are for those who can name the run.',
    input: listPoolsInputSchema,
    output: listPoolsOutputSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    example: { input: { scope: 'team', scopeId: 'launch' }, output: { pools: [POOL], count: 1, nextCursor: null } },
  }),
  'pools.get': operation({
    group: GROUP,
    summary: 'Read the settings of a pool and who may use it.',
    input: poolIdInputSchema,
    output: poolSchema,
    http: { method: 'GET', path: POOL_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: ID, output: POOL },
  }),
  'pools.update': operation({
    group: GROUP,
    summary: 'Change parts of a pool of yours.',
    description: 'Given fields replace the old ones; the access list is replaced as a whole. Its values stay.',
    input: updatePoolInputSchema,
    output: poolSchema,
    http: { method: 'PUT', path: POOL_PATH, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...ID, access: { write: ['planner'], publicRead: true } },
      output: { ...POOL, access: { read: [], write: ['planner'], publicRead: true }, version: 9 },
    },
  }),
  'pools.delete': operation({
    group: GROUP,
    summary: 'Delete a pool of yours with all of its values.',
    input: poolIdInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: POOL_PATH, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['FORBIDDEN'],
    example: { input: ID, output: { success: true } },
  }),
  'pools.grant': operation({
    group: GROUP,
    summary: 'Grant somebody read access to a pool of yours, or read and write access.',
    description:
      'The id is that of a user (a person or an autonomous agent), or of an agent of yours. A grant replaces an ' +
      'earlier one to the same id.',
    input: grantPoolInputSchema,
    output: poolSchema,
    http: { method: 'POST', path: `${POOL_PATH}/grants`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LIMIT_EXCEEDED'],
    example: {
      input: { ...ID, agentId: 'critic', level: 'read' },
      output: { ...POOL, access: { ...POOL.access, read: ['reviewer', 'critic'] }, version: 10 },
    },
  }),
  'pools.revoke': operation({
    group: GROUP,
    summary: 'Revoke a grant, at once.',
    description: 'Has no effect without a grant. A pool with `public_read` can still be read by everyone.',
    input: poolAgentInputSchema,
    output: poolSchema,
    http: { method: 'DELETE', path: `${POOL_PATH}/grants/{agentId}`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...ID, agentId: 'reviewer' },
      output: { ...POOL, access: { ...POOL.access, read: [] }, version: 11 },
    },
  }),
  'pools.accessibleBy': operation({
    group: GROUP,
    summary: 'Check whether somebody may read and write a pool.',
    description: 'The owner may ask about anyone, everyone else about themselves.',
    input: poolAgentInputSchema,
    output: poolAccessOutputSchema,
    http: { method: 'GET', path: `${POOL_PATH}/accessible-by/{agentId}`, status: 200 },
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    example: {
      input: { ...ID, agentId: 'reviewer' },
      output: { ...ID, agentId: 'reviewer', accessible: true, read: true, write: false },
    },
  }),
  'pools.statistics': operation({
    group: GROUP,
    summary: 'Get the size of a pool, and how often it was read.',
    input: poolIdInputSchema,
    output: poolStatisticsSchema,
    http: { method: 'GET', path: `${POOL_PATH}/statistics`, status: 200 },
    errors: ['NOT_FOUND'],
    example: { input: ID, output: { ...ID, entryCount: 12, bytes: 5321, accesses: 40 } },
  }),
} as const;
