/** A plan context: the state machine of a planner, kept across the events that move it. */

import { z } from 'zod';
import { identifier, pathName } from './entry.ts';
import { eventName } from './plan.ts';
import { expected, payload, recorded } from './record.ts';

const contextFields = {
  sessionId: pathName.optional(),
  goalEvent: eventName.describe('The event that requested the plan.'),
  goalData: payload,
  responseEvent: eventName.optional().describe('The event that answers it.'),
  state: payload.describe(
    'The whole state machine: states, transitions and results. If it has `states` (an object by name), ' +
      'the current state must be one of them.',
  ),
  currentState: z.string().min(1).max(100).optional().describe('The state that it is in.'),
  correlationIds: z.array(pathName).describe('Ids of tasks and steps whose events belong to this plan.'),
} as const;

export const planContextSchema = z
  .strictObject({ planId: pathName, ...contextFields, ...recorded })
  .describe("A planner's state machine between two events.");

export type PlanContext = z.output<typeof planContextSchema>;

export const planContextIdInputSchema = z.strictObject({ planId: pathName });

const optionalFields = {
  ...contextFields,
  goalData: payload.optional(),
  state: contextFields.state.optional(),
  correlationIds: contextFields.correlationIds.optional(),
} as const;

export const savePlanContextInputSchema = z.strictObject({ planId: pathName, ...optionalFields });

export type SavePlanContextInput = z.output<typeof savePlanContextInputSchema>;

export const updatePlanContextInputSchema = z.strictObject({
  planId: pathName,
  ...optionalFields,
  goalEvent: contextFields.goalEvent.optional(),
  ...expected,
});

export type UpdatePlanContextInput = z.output<typeof updatePlanContextInputSchema>;

export const correlationInputSchema = z.strictObject({ correlationId: identifier });
