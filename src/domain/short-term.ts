/** Short-term memory: state of an agent in a session, for an hour or so, of which every read is counted. */

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

/** What was read so often is worth remembering for good. */
export const FREQUENT_ACCESSES = 3;

/** A value of short-term memory as it lies in the store. */
export interface StoredShortTerm {
  readonly type: ShortTermType;
  readonly ttlSeconds: number;
  readonly value: Json;
}

const sessionId = pathName.describe('The session. It need not be registered.');
const agentId = identifier.optional().describe('An agent of yours. Default: the one that is asking, if one is.');
const key = pathName.describe('Names the value within the session.');
const type = z.enum(SHORT_TERM_TYPES);

const itemFields = {
  key,
  type,
  value: jsonSchema,
  ttlSeconds: z.int().describe('How long it stays after a write or a refresh.'),
  expiresAt: isoTime.describe('From then on it is not there.'),
  accessCount: z.int().describe('How often it was read before; counted soon after, and kept by later writes.'),
  lastAccessedAt: isoTime.optional(),
  version: z.int().describe('Never given twice: also a value that was deleted and written again has a new one.'),
  createdAt: isoTime,
  updatedAt: isoTime,
} as const;

const ownerFields = { sessionId, agentId: identifier.optional().describe('Whose it is; absent: no agent of yours.') };

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
  items: z.array(z.strictObject(itemFields)).describe('In the order of their keys, by code point.'),
  ...page,
});

export type ListShortTermOutput = z.output<typeof listShortTermOutputSchema>;

export const clearShortTermOutputSchema = z.strictObject({ ...ownerFields, deletedCount: z.int() });

export type ClearShortTermOutput = z.output<typeof clearShortTermOutputSchema>;

export const shortTermStatsSchema = z.strictObject({
  ...ownerFields,
  count: z.int().describe('How many values there are.'),
  bytes: z.int().describe('How much they take as JSON, with what is known of them.'),
  accesses: z.int().describe('How often they were read, all together.'),
});

export type ShortTermStats = z.output<typeof shortTermStatsSchema>;
