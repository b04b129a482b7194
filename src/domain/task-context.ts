/** A task context: what a worker must remember while others do parts of its task. */

import { z } from 'zod';
import { identifier, pathName } from './entry.ts';
import { eventName } from './plan.ts';
import { expected, page, paged, payload, recorded } from './record.ts';

export const DEFAULT_RESPONSE_TOPIC = 'action-results';

const taskFields = {
  planId: pathName.optional(),
  eventType: eventName.describe('The event that requested the task.'),
  responseEvent: eventName.optional().describe('The event that answers it.'),
  responseTopic: z.string().min(1).max(100).describe(`Where the answer goes. Default ${DEFAULT_RESPONSE_TOPIC}.`),
  data: payload.describe('The request. A change replaces it as a whole.'),
  subTasks: z.array(pathName).describe('Ids of delegated sub-tasks that are still open.'),
  state: payload.describe("The worker's own state. A change replaces it as a whole."),
} as const;

export const taskContextSchema = z
  .strictObject({ taskId: pathName, ...taskFields, ...recorded })
  .describe('What a worker must remember while others do parts of its task.');

/** As it is stored. The class `TaskContext` of `workflow/` works with one. */
export type TaskContextRecord = z.output<typeof taskContextSchema>;

const optionalFields = {
  ...taskFields,
  responseTopic: taskFields.responseTopic.optional(),
  data: taskFields.data.optional(),
  subTasks: taskFields.subTasks.optional(),
  state: taskFields.state.optional(),
} as const;

export const saveTaskInputSchema = z.strictObject({ taskId: pathName, ...optionalFields });

export type SaveTaskInput = z.output<typeof saveTaskInputSchema>;

export const taskIdInputSchema = z.strictObject({ taskId: pathName });

export const updateTaskInputSchema = z.strictObject({
  taskId: pathName,
  ...optionalFields,
  eventType: taskFields.eventType.optional(),
  ...expected,
});

export type UpdateTaskInput = z.output<typeof updateTaskInputSchema>;

export const deleteTaskInputSchema = taskIdInputSchema.extend(expected);

export type DeleteTaskInput = z.output<typeof deleteTaskInputSchema>;

export const subtaskInputSchema = z.strictObject({ subtaskId: identifier });

export const listTasksInputSchema = z.strictObject({ planId: pathName, ...paged });

export type ListTasksInput = z.output<typeof listTasksInputSchema>;

export const listTasksOutputSchema = z.strictObject({
  tasks: z.array(taskContextSchema).describe('Newest first.'),
  ...page,
});

export type ListTasksOutput = z.output<typeof listTasksOutputSchema>;
