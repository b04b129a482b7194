/** Short-term memory: state of an agent in a session, for an hour or so; every read is counted. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import type { Json } from './json.ts';
import { page, paged } from './record.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';
import { expectedState } from './working.ts';

export const SHORT_TERM_TYPES = ['task_context', 'conversation', 'tool_result', 'reflection', 'observation'] as const;
export type ShortTermType = (typeof SHORT_TERM_TYPES)[number];

export const DEFAULT_SHORT_TERM_TYPE: ShortTermType = 'observation';
export const DEFAULT_SHORT_TERM_TTL = 3600;

/** A value that was read this often is worth keeping for good. */
export const FREQUENT_ACCESSES = 3;

/** A value of short-term memory as it is stored. */
export interface StoredShortTerm {
  readonly type: ShortTermType;
  readonly ttlSeconds: number;
  readonly value: Json;
}

const sessionId = pathName.describe('The session. It need not be registered.');
const agentId = identifier.optional().describe('An agent of yours. Default: the calling agent, if there is one.');
const key = pathName.describe('Names the value within the session.');
const type = z.enum(SHORT_TERM_TYPES);

const itemFields = {
  key,
  type,
  value: jsonSchema,
  ttlSeconds: z.int().describe('How long it stays after a write or a refresh.'),
  expiresAt: isoTime.describe('When it expires.'),
  accessCount: z.int().describe('How often it was read before; the count lags slightly, and later writes keep it.'),
  lastAccessedAt: isoTime.optional(),
  version: z.int().describe('Never reused: a value that was deleted and written again gets a new one.'),
  createdAt: isoTime,
  updatedAt: isoTime,
} as const;

const ownerFields = { sessionId, agentId: identifier.optional().describe('The agent that it belongs to, if any.') };

export const shortTermItemSchema = z
  .strictObject({ ...ownerFields, ...itemFields })
  .describe('A value of short-term memory.');

export type ShortTermItem = z.output<typeof shortTermItemSchema>;

export const shortTermSessionInputSchema = z.strictObject({ sessionId, agentId });

export type ShortTermSessionInput = z.output<typeof shortTermSessionInputSchema>;

export const shortTermKeyInputSchema = z.strictObject({ sessionId, key, agentId });

export type ShortTermKeyInput = z.output<typeof shortTermKeyInputSchema>;

export const writeShortTermInputSchema = shortTermKeyInputSchema.extend({
  value: jsonSchema,
  type: type.optional().describe(`Default ${DEFAULT_SHORT_TERM_TYPE}.`),
  ttlSeconds: ttlSeconds.optional().describe(`How long it stays. Default ${DEFAULT_SHORT_TERM_TTL}.`),
  ...expectedState,
});

export type WriteShortTermInput = z.output<typeof writeShortTermInputSchema>;

export const deleteShortTermInputSchema = shortTermKeyInputSchema.extend(expectedState);

export type DeleteShortTermInput = z.output<typeof deleteShortTermInputSchema>;

export const listShortTermInputSchema = shortTermSessionInputSchema.extend(paged);

export type ListShortTermInput = z.output<typeof listShortTermInputSchema>;

export const listShortTermOutputSchema = z.strictObject({
  ...ownerFields,
  items: z.array(z.strictObject(itemFields)).describe('Sorted by key, by code point.'),
  ...page,
});

export type ListShortTermOutput = z.output<typeof listShortTermOutputSchema>;

export const clearShortTermOutputSchema = z.strictObject({ ...ownerFields, deletedCount: z.int() });

export type ClearShortTermOutput = z.output<typeof clearShortTermOutputSchema>;

export const shortTermStatsSchema = z.strictObject({
  ...ownerFields,
  count: z.int().describe('How many values there are.'),
  bytes: z.int().describe('Their size as JSON, including their metadata.'),
  accesses: z.int().describe('How often they were read in total.'),
});

export type ShortTermStats = z.output<typeof shortTermStatsSchema>;
