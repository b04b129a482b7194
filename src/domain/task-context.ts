/** A task context: what a worker must remember while others do parts of its task. */

import { z } from 'zod';
import { identifier, isoTime, metadataSchema } from './entry.ts';
import { eventName } from './plan.ts';

export const DEFAULT_RESPONSE_TOPIC = 'action-results';

export const taskContextSchema = z.strictObject({
  taskId: identifier,
  planId: identifier.optional(),
  eventType: eventName.describe('The event that asked for the task.'),
  responseEvent: eventName.optional(),
  responseTopic: z.string().min(1).max(100),
  data: metadataSchema.describe('What was asked for.'),
  subTasks: z.array(identifier).describe('Ids of delegated sub-tasks that have not come back.'),
  state: metadataSchema.describe("The worker's own state."),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export type TaskContext = z.output<typeof taskContextSchema>;
