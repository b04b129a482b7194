/** What agents keep while they work, each sort in a place of its own: task state, results, conversation, tools, notes. */

import {
  agentItemSchema,
  agentStepInputSchema,
  agentTaskSchema,
  agentToolInputSchema,
  appendConversationInputSchema,
  appendScratchPadInputSchema,
  storeConversationInputSchema,
  storeResultInputSchema,
  storeScratchPadInputSchema,
  storeTaskStateInputSchema,
  storeToolStateInputSchema,
  type AgentItem,
} from '../domain/agent-memory.ts';
import type { Json } from '../domain/json.ts';
import { operation } from './operation.ts';

const group = 'Agent working memory';
const PATH = '/v1/memory/agents/{agent_id}';
const absent = { output: null, code: 'NOT_FOUND' } as const;
const output = agentItemSchema;
const query = ['taskId'] as const;
/** A write may say which version it replaces. */
const locked = { ifMatch: 'ifVersion', ifNoneMatch: true } as const;

const TASK = { agentId: 'research-advisor', taskId: 'task-1' };
const STATE = { phase: 'reading', done: 3 };
const RESULT = { found: 12 };
const MESSAGE = { role: 'user', content: 'Only sources of this year, please.' };
const NOTE = 'The report contradicts itself on page 4.';

function item(key: string, value: Json): AgentItem {
  return {
    ...TASK,
    key,
    value,
    version: 7,
    createdAt: '2026-11-15T09:30:00.000Z',
    updatedAt: '2026-11-15T09:30:00.000Z',
    expiresAt: '2026-11-15T10:00:00.000Z',
  };
}

export const agentPlaceOperations = {
  'agentMemory.storeTaskState': operation({
    group,
    summary: 'Store the state of the task.',
    input: storeTaskStateInputSchema,
    output,
    http: { method: 'PUT', path: `${PATH}/task-state`, status: 200, ...locked, query },
    example: { input: { ...TASK, state: STATE }, output: item('task_state', STATE) },
  }),
  'agentMemory.taskState': operation({
    group,
    summary: 'Read the state of the task.',
    input: agentTaskSchema,
    output,
    http: { method: 'GET', path: `${PATH}/task-state`, status: 200 },
    absent,
    example: { input: TASK, output: item('task_state', STATE) },
  }),
  'agentMemory.storeResult': operation({
    group,
    summary: 'Store the intermediate result of a step.',
    input: storeResultInputSchema,
    output,
    http: { method: 'PUT', path: `${PATH}/results/{step}`, status: 200, ...locked, query },
    example: { input: { ...TASK, step: 'search', result: RESULT }, output: item('search', RESULT) },
  }),
  'agentMemory.result': operation({
    group,
    summary: 'Read the intermediate result of a step.',
    input: agentStepInputSchema,
    output,
    http: { method: 'GET', path: `${PATH}/results/{step}`, status: 200 },
    absent,
    example: { input: { ...TASK, step: 'search' }, output: item('search', RESULT) },
  }),
  'agentMemory.storeConversation': operation({
    group,
    summary: 'Store the conversation, replacing the previous one.',
    input: storeConversationInputSchema,
    output,
    http: { method: 'PUT', path: `${PATH}/conversation`, status: 200, ...locked, query },
    example: { input: { ...TASK, messages: [MESSAGE] }, output: item('conversation', [MESSAGE]) },
  }),
  'agentMemory.appendToConversation': operation({
    group,
    summary: 'Append messages to the conversation, atomically.',
    description: 'Concurrent appends are never lost. Restarts its time to live.',
    input: appendConversationInputSchema,
    output,
    http: { method: 'POST', path: `${PATH}/conversation/append`, status: 200, query },
    isRepeatable: false,
    example: { input: { ...TASK, messages: [MESSAGE] }, output: item('conversation', [MESSAGE]) },
  }),
  'agentMemory.conversation': operation({
    group,
    summary: 'Read the conversation: a list of messages.',
    input: agentTaskSchema,
    output,
    http: { method: 'GET', path: `${PATH}/conversation`, status: 200 },
    absent,
    example: { input: TASK, output: item('conversation', [MESSAGE]) },
  }),
  'agentMemory.storeToolState': operation({
    group,
    summary: 'Store the state of a tool.',
    input: storeToolStateInputSchema,
    output,
    http: { method: 'PUT', path: `${PATH}/tools/{tool}`, status: 200, ...locked, query },
    example: { input: { ...TASK, tool: 'browser', state: { tab: 2 } }, output: item('browser', { tab: 2 }) },
  }),
  'agentMemory.toolState': operation({
    group,
    summary: 'Read the state of a tool.',
    input: agentToolInputSchema,
    output,
    http: { method: 'GET', path: `${PATH}/tools/{tool}`, status: 200 },
    absent,
    example: { input: { ...TASK, tool: 'browser' }, output: item('browser', { tab: 2 }) },
  }),
  'agentMemory.storeScratchPad': operation({
    group,
    summary: 'Write the scratch pad, replacing what was on it.',
    input: storeScratchPadInputSchema,
    output,
    http: { method: 'PUT', path: `${PATH}/scratch-pad`, status: 200, ...locked, query },
    example: { input: { ...TASK, content: NOTE }, output: item('scratch_pad', NOTE) },
  }),
  'agentMemory.appendToScratchPad': operation({
    group,
    summary: 'Add a note to the scratch pad, atomically, on its own line.',
    description: 'Concurrent notes are never lost. Restarts its time to live.',
    input: appendScratchPadInputSchema,
    output,
    http: { method: 'POST', path: `${PATH}/scratch-pad/append`, status: 200, query },
    isRepeatable: false,
    example: { input: { ...TASK, content: 'Ask.' }, output: item('scratch_pad', `${NOTE}\nAsk.`) },
  }),
  'agentMemory.scratchPad': operation({
    group,
    summary: 'Read the scratch pad: its notes as one text, one per line.',
    input: agentTaskSchema,
    output,
    http: { method: 'GET', path: `${PATH}/scratch-pad`, status: 200 },
    absent,
    example: { input: TASK, output: item('scratch_pad', NOTE) },
  }),
} as const;
