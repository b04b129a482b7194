/** A plan context: the state machine of a planner, kept across the events that move it. */

import { z } from 'zod';
import { identifier, isoTime, metadataSchema } from './entry.ts';
import { eventName } from './plan.ts';

export const planContextSchema = z.strictObject({
  planId: identifier,
  sessionId: identifier.optional(),
  goalEvent: eventName,
  goalData: metadataSchema,
  responseEvent: eventName.optional(),
  state: metadataSchema.describe('The whole state machine: its states, its transitions, its results.'),
  currentState: z.string().min(1).max(100).optional().describe('The state in which it is.'),
  correlationIds: z.array(identifier).describe('Ids of tasks and steps whose events belong to this plan.'),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export type PlanContext = z.output<typeof planContextSchema>;
