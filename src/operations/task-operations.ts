/** Task contexts: what workers remember while others do parts of their tasks. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  deleteTaskInputSchema,
  listTasksInputSchema,
  listTasksOutputSchema,
  saveTaskInputSchema,
  subtaskInputSchema,
  taskContextSchema,
  taskIdInputSchema,
  updateTaskInputSchema,
  type TaskContextRecord,
} from '../domain/task-context.ts';
import { operation } from './operation.ts';

const GROUP = 'Task contexts';
const PATH = '/v1/memory/task-context';
const ABSENT = { output: null, code: 'NOT_FOUND' } as const;

const TASK: TaskContextRecord = {
  taskId: 'task-123',
  planId: 'plan-456',
  eventType: 'research.requested',
  responseEvent: 'research.completed',
  responseTopic: 'action-results',
  data: { topic: 'AI trends' },
  subTasks: ['subtask-1', 'subtask-2'],
  state: { progress: 0.5 },
  version: 42,
  createdAt: '2026-01-11T10:00:00.000Z',
  updatedAt: '2026-01-11T10:05:00.000Z',
};

export const taskOperations = {
  'tasks.save': operation({
    group: GROUP,
    summary: 'Store the context of a task, or replace it.',
    description:
      'Everyone in the tenant can read and change it. A second POST of the same task replaces the first as a whole; ' +
      'use PUT to change parts of it.',
    input: saveTaskInputSchema,
    output: taskContextSchema,
    http: { method: 'POST', path: PATH, status: 201 },
    example: {
      input: {
        taskId: 'task-123',
        planId: 'plan-456',
        eventType: 'research.requested',
        responseEvent: 'research.completed',
        data: { topic: 'AI trends' },
      },
      output: { ...TASK, subTasks: [], state: {}, version: 40, updatedAt: TASK.createdAt },
    },
  }),
  'tasks.list': operation({
    group: GROUP,
    summary: 'List the task contexts of a plan, newest first.',
    description: 'Only those that still exist: a finished task has none.',
    input: listTasksInputSchema,
    output: listTasksOutputSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    example: { input: { planId: 'plan-456' }, output: { tasks: [TASK], count: 1, nextCursor: null } },
  }),
  'tasks.get': operation({
    group: GROUP,
    summary: 'Read the context of a task.',
    input: taskIdInputSchema,
    output: taskContextSchema,
    http: { method: 'GET', path: `${PATH}/{taskId}`, status: 200 },
    absent: ABSENT,
    example: { input: { taskId: 'task-123' }, output: TASK },
  }),
  'tasks.bySubtask': operation({
    group: GROUP,
    summary: 'Find the task that waits for a sub-task.',
    description: 'If several list it, the newest one.',
    input: subtaskInputSchema,
    output: taskContextSchema,
    http: { method: 'GET', path: `${PATH}/by-subtask/{subtaskId}`, status: 200 },
    absent: ABSENT,
    example: { input: { subtaskId: 'subtask-1' }, output: TASK },
  }),
  'tasks.update': operation({
    group: GROUP,
    summary: 'Change parts of the context of a task.',
    description: 'Given fields replace the old ones; the others stay.',
    input: updateTaskInputSchema,
    output: taskContextSchema,
    http: { method: 'PUT', path: `${PATH}/{taskId}`, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND'],
    example: {
      input: { taskId: 'task-123', subTasks: ['subtask-1', 'subtask-2'], state: { progress: 0.5 }, ifVersion: 41 },
      output: TASK,
    },
  }),
  'tasks.delete': operation({
    group: GROUP,
    summary: 'Delete the context of a finished task.',
    description: 'If several delete it at once, only one of them is told that it did.',
    input: deleteTaskInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: `${PATH}/{taskId}`, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    // Deleting a task completes it. A retry would report that somebody else had done it.
    isRepeatable: false,
    example: { input: { taskId: 'task-123' }, output: { success: true } },
  }),
} as const;
