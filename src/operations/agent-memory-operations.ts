/** Working memory of agents: values under keys, for minutes, in a task or in none. */

import {
  agentExistsOutputSchema,
  agentItemSchema,
  agentKeyInputSchema,
  agentKeysInputSchema,
  agentKeysOutputSchema,
  agentTaskSchema,
  clearAgentOutputSchema,
  loadAgentOutputSchema,
  persistAgentInputSchema,
  persistAgentOutputSchema,
  removeAgentInputSchema,
  retrieveSharedInputSchema,
  sharedItemSchema,
  shareInputSchema,
  shareOutputSchema,
  storeAgentInputSchema,
  withdrawInputSchema,
  type AgentItem,
} from '../domain/agent-memory.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import { agentPlaceOperations } from './agent-place-operations.ts';
import { operation } from './operation.ts';

const GROUP = 'Agent working memory';
const AGENT_PATH = '/v1/memory/agents/{agent_id}';
const WORKING_PATH = `${AGENT_PATH}/working`;
const KEY_PATH = `${WORKING_PATH}/{key}`;
const SHARED_PATH = `${AGENT_PATH}/shares/{key}`;

const TASK = { agentId: 'research-advisor', taskId: 'task-1' };
const KEY = { ...TASK, key: 'sources' };
const ITEM: AgentItem = {
  ...KEY,
  value: ['report-7'],
  version: 7,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2026-11-15T10:00:00.000Z',
};
const SHARE = { agentId: 'research-advisor', key: 'sources', targetAgentId: 'writer' };
const PARTY = { userId: 'local', agentId: 'research-advisor' };

/** The task is part of the address, wherever the rest travels. */
const query = ['taskId'] as const;

export const agentMemoryOperations = {
  'agentMemory.store': operation({
    group: GROUP,
    summary: 'Store a value in the working memory of an agent.',
    description:
      'Only you and the agent can access it, in the task if one is named. Replaces the value and its time to live. With ' +
      '`If-Match`, only if that is still its version; with `If-Match: 0`, only if there is no value.',
    input: storeAgentInputSchema,
    output: agentItemSchema,
    http: { method: 'PUT', path: KEY_PATH, status: 200, ifMatch: 'ifVersion', ifNoneMatch: true, query },
    example: { input: { ...KEY, value: ITEM.value, ttlSeconds: 1800 }, output: ITEM },
  }),
  'agentMemory.retrieve': operation({
    group: GROUP,
    summary: 'Read a value of the working memory of an agent.',
    input: agentKeyInputSchema,
    output: agentItemSchema,
    http: { method: 'GET', path: KEY_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: KEY, output: ITEM },
  }),
  'agentMemory.exists': operation({
    group: GROUP,
    summary: 'Check whether a key has a value.',
    input: agentKeyInputSchema,
    output: agentExistsOutputSchema,
    http: { method: 'GET', path: `${KEY_PATH}/exists`, status: 200 },
    example: { input: KEY, output: { exists: true } },
  }),
  'agentMemory.remove': operation({
    group: GROUP,
    summary: 'Remove a value, the result of a step or the state of a tool.',
    input: removeAgentInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: KEY_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: KEY, output: { success: true } },
  }),
  'agentMemory.keys': operation({
    group: GROUP,
    summary: 'List the keys, the steps or the tools, page by page.',
    input: agentKeysInputSchema,
    output: agentKeysOutputSchema,
    http: { method: 'GET', path: WORKING_PATH, status: 200 },
    example: { input: TASK, output: { ...TASK, keys: ['sources'], count: 1, nextCursor: null } },
  }),
  'agentMemory.clear': operation({
    group: GROUP,
    summary: 'Remove everything of the task: values, task state, results, conversation, tools and scratch pad.',
    description: 'What was persisted stays, and so does what was shared.',
    input: agentTaskSchema,
    output: clearAgentOutputSchema,
    http: { method: 'DELETE', path: WORKING_PATH, status: 200 },
    example: { input: TASK, output: { ...TASK, deletedCount: 5 } },
  }),
  ...agentPlaceOperations,
  'agentMemory.share': operation({
    group: GROUP,
    summary: 'Share a value with another agent.',
    description:
      'It goes into the inbox of that agent, who alone can read it, under your name; only you can replace or withdraw it. ' +
      'Passing on what was shared with you (`from`) is a share of your own; passing it to anyone it came through is refused.',
    input: shareInputSchema,
    output: shareOutputSchema,
    http: { method: 'PUT', path: SHARED_PATH, status: 200 },
    errors: ['MISSING_IDENTIFIER', 'NOT_FOUND'],
    example: {
      input: { ...SHARE, value: ITEM.value },
      output: {
        key: 'sources',
        sourceUserId: 'local',
        sourceAgentId: 'research-advisor',
        targetUserId: 'local',
        targetAgentId: 'writer',
        version: 9,
        expiresAt: ITEM.expiresAt,
      },
    },
  }),
  'agentMemory.withdraw': operation({
    group: GROUP,
    summary: 'Withdraw a shared value, effective at once.',
    input: withdrawInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: SHARED_PATH, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['MISSING_IDENTIFIER'],
    example: { input: SHARE, output: { success: true } },
  }),
  'agentMemory.retrieveShared': operation({
    group: GROUP,
    summary: 'Read what another agent shared with this one, or with its user.',
    input: retrieveSharedInputSchema,
    output: sharedItemSchema,
    http: { method: 'GET', path: `${AGENT_PATH}/shared/{key}`, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: {
      input: { agentId: 'writer', key: 'sources', sourceAgentId: 'research-advisor' },
      output: {
        key: 'sources',
        value: ITEM.value,
        sourceUserId: 'local',
        sourceAgentId: 'research-advisor',
        chain: [PARTY],
        version: 9,
        sharedAt: ITEM.updatedAt,
        expiresAt: ITEM.expiresAt,
      },
    },
  }),
  'agentMemory.persist': operation({
    group: GROUP,
    summary: 'Save the working memory of the task in the database.',
    description: 'All or nothing; replaces what was persisted before. Nothing is removed from working memory.',
    input: persistAgentInputSchema,
    output: persistAgentOutputSchema,
    http: { method: 'POST', path: `${AGENT_PATH}/persist`, status: 200, query },
    errors: ['LIMIT_EXCEEDED'],
    example: { input: { ...TASK, ttlSeconds: 86_400 }, output: { ...TASK, persistedCount: 12 } },
  }),
  'agentMemory.load': operation({
    group: GROUP,
    summary: 'Write back what was persisted.',
    description: 'Overwrites values under the same keys; other keys stay. The persisted copy stays too.',
    input: agentTaskSchema,
    output: loadAgentOutputSchema,
    http: { method: 'POST', path: `${AGENT_PATH}/load`, status: 200, query },
    example: { input: TASK, output: { ...TASK, loadedCount: 11, expiredCount: 1 } },
  }),
} as const;
