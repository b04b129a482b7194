/** A plan: a goal that somebody pursues, from running to finished. */

import { z } from 'zod';
import { pathName } from './entry.ts';
import { cascade, expected, page, paged, payload, recorded } from './record.ts';

export const PLAN_STATUSES = ['pending', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Final statuses. A list of `active` plans leaves these out. */
const FINISHED_PLAN_STATUSES: readonly PlanStatus[] = ['completed', 'failed', 'cancelled'];

export function isFinished(status: PlanStatus): boolean {
  return FINISHED_PLAN_STATUSES.includes(status);
}

export const ACTIVE_PLAN_STATUSES: readonly PlanStatus[] = PLAN_STATUSES.filter((status) => !isFinished(status));

export const eventName = z.string().min(1).max(255);

const planFields = {
  sessionId: pathName.optional(),
  parentPlanId: pathName.optional(),
  goalEvent: eventName.describe('The event that requested it.'),
  goalData: payload,
  responseEvent: eventName.optional().describe('The event that answers it.'),
  status: z.enum(PLAN_STATUSES),
  state: payload.describe("The planner's state. A change replaces it as a whole."),
} as const;

export const planSchema = z
  .strictObject({
    planId: pathName,
    userId: z.string().describe('Whose plan it is.'),
    ...planFields,
    ...recorded,
  })
  .describe('A goal that somebody pursues.');

export type Plan = z.output<typeof planSchema>;

export const planIdInputSchema = z.strictObject({ planId: pathName });

export const createPlanInputSchema = z.strictObject({
  planId: pathName.optional().describe('Default: a new one.'),
  ...planFields,
  goalData: payload.optional(),
  status: z.enum(PLAN_STATUSES).optional().describe('Default running.'),
  state: planFields.state.optional(),
});

export type CreatePlanInput = z.output<typeof createPlanInputSchema>;

export const updatePlanInputSchema = z.strictObject({
  planId: pathName,
  status: z.enum(PLAN_STATUSES).optional().describe('A finished plan (completed, failed, cancelled) stays finished.'),
  state: planFields.state.optional(),
  goalData: payload.optional(),
  sessionId: pathName.optional(),
  responseEvent: planFields.responseEvent,
  ...expected,
  cascade: cascade.describe('Once it is finished, remove its working memory, pools, plan context and task contexts.'),
});

export type UpdatePlanInput = z.output<typeof updatePlanInputSchema>;

export const deletePlanInputSchema = planIdInputSchema.extend({
  cascade: cascade.describe('Also remove its working memory, pools, plan context and task contexts.'),
});

export type DeletePlanInput = z.output<typeof deletePlanInputSchema>;

export const listPlansInputSchema = z.strictObject({
  status: z
    .enum(['active', ...PLAN_STATUSES])
    .optional()
    .describe('`active` means all that are not finished.'),
  sessionId: pathName.optional(),
  ...paged,
});

export type ListPlansInput = z.output<typeof listPlansInputSchema>;

export const listPlansOutputSchema = z.strictObject({ plans: z.array(planSchema).describe('Newest first.'), ...page });

export type ListPlansOutput = z.output<typeof listPlansOutputSchema>;
