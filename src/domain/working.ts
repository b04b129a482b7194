/** Working memory: state that belongs to a plan, shared by everyone in the tenant who can name the plan. */

import { z } from 'zod';
import { isoTime, pathName } from './entry.ts';
import { page, paged } from './record.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';

const planId = pathName.describe('The plan. It need not be registered.');
const key = pathName.describe('Names the value within the plan.');

const valueFields = {
  key,
  value: jsonSchema,
  version: z.int().describe('Never reused: a value that was deleted and written again gets a new one.'),
  createdAt: isoTime,
  updatedAt: isoTime,
  expiresAt: isoTime.optional().describe('When it expires. Absent: never.'),
} as const;

export const workingItemSchema = z.strictObject({ planId, ...valueFields }).describe('A value of working memory.');

export type WorkingItem = z.output<typeof workingItemSchema>;

export const workingPlanInputSchema = z.strictObject({ planId });

export const workingKeyInputSchema = z.strictObject({ planId, key });

export type WorkingKeyInput = z.output<typeof workingKeyInputSchema>;

const ifVersion = z
  .int()
  .min(0)
  .optional()
  .describe('Refuse with VERSION_CONFLICT unless this is the version; 0: unless nothing is there.');

/** The version that a change of state may expect. */
export const expectedState = { ifVersion } as const;

export const setWorkingInputSchema = workingKeyInputSchema.extend({
  value: jsonSchema,
  ttlSeconds: ttlSeconds.optional().describe('How long it stays. Default: forever.'),
  ifVersion,
});

export type SetWorkingInput = z.output<typeof setWorkingInputSchema>;

export const deleteWorkingInputSchema = workingKeyInputSchema.extend({ ifVersion });

export type DeleteWorkingInput = z.output<typeof deleteWorkingInputSchema>;

export const incrementWorkingInputSchema = workingKeyInputSchema.extend({
  by: z.number().optional().describe('Default 1. May be negative.'),
});

export type IncrementWorkingInput = z.output<typeof incrementWorkingInputSchema>;

export const appendWorkingInputSchema = workingKeyInputSchema.extend({
  items: z.array(jsonSchema).describe('Added to the end, in this order.'),
});

export type AppendWorkingInput = z.output<typeof appendWorkingInputSchema>;

export const mergeWorkingInputSchema = workingKeyInputSchema.extend({
  fields: z.record(z.string(), jsonSchema).describe('Set one by one; the other fields stay.'),
});

export type MergeWorkingInput = z.output<typeof mergeWorkingInputSchema>;

export const listWorkingInputSchema = workingPlanInputSchema.extend(paged);

export type ListWorkingInput = z.output<typeof listWorkingInputSchema>;

export const listWorkingOutputSchema = z.strictObject({
  planId,
  items: z.array(z.strictObject(valueFields)).describe('Sorted by key, by code point.'),
  ...page,
});

export type ListWorkingOutput = z.output<typeof listWorkingOutputSchema>;

export const clearWorkingOutputSchema = z.strictObject({ planId, deletedCount: z.int() });
