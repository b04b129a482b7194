/** A plan: a goal that somebody pursues, from running to finished. */

import { z } from 'zod';
import { identifier, isoTime, metadataSchema } from './entry.ts';

export const PLAN_STATUSES = ['pending', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** What a list of `active` plans leaves out. */
export const FINISHED_PLAN_STATUSES: readonly PlanStatus[] = ['completed', 'failed', 'cancelled'];

export const eventName = z.string().min(1).max(255);

export const planSchema = z.strictObject({
  planId: identifier,
  userId: z.string().describe('Whose plan it is.'),
  sessionId: identifier.optional(),
  parentPlanId: identifier.optional(),
  goalEvent: eventName.describe('The event that asked for it.'),
  goalData: metadataSchema,
  responseEvent: eventName.optional(),
  status: z.enum(PLAN_STATUSES),
  state: metadataSchema.describe("The planner's state."),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export type Plan = z.output<typeof planSchema>;
