/** The values of a pool, under dotted keys: the first part names the value, the rest a field within it. */

import { z } from 'zod';
import { isoTime, pathName } from './entry.ts';
import { followEventsInputSchema } from './event.ts';
import { poolIdInputSchema } from './pool.ts';
import { page, paged } from './record.ts';
import { jsonSchema } from './state.ts';
import { ttlSeconds } from './time-to-live.ts';

const MAX_PART_LENGTH = 100;
/** Low enough that the value at the end can still be an object: see the maximum depth of JSON. */
const MAX_PARTS = 31;

/** The parts of a dotted key: a part cannot contain a dot. */
export function partsOf(key: string): readonly [first: string, ...rest: string[]] {
  const [first = '', ...rest] = key.split('.');
  return [first, ...rest];
}

function problemWith(key: string): string | undefined {
  const parts = partsOf(key);
  if (parts.length > MAX_PARTS) return `has ${parts.length} parts; the limit is ${MAX_PARTS}`;
  if (parts.includes('')) return 'has an empty part: write names with a single dot between them';
  if (parts.includes('__proto__')) return 'uses a reserved name';
  if (parts.some((part) => part.length > MAX_PART_LENGTH))
    return `has a part of more than ${MAX_PART_LENGTH} characters`;
  return undefined;
}

const key = z
  .string()
  .min(1)
  .max(MAX_PARTS * (MAX_PART_LENGTH + 1))
  .superRefine((text, context) => {
    const message = problemWith(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .describe('Names separated by dots: the first names a value, the others fields within it.');

const ifVersion = z
  .int()
  .min(0)
  .optional()
  .describe('Refuse with VERSION_CONFLICT unless this is the version; 0: unless nothing is there.');

const valueFields = {
  value: jsonSchema,
  version: z.int().describe('Of the value that the first part of the key names. Never reused.'),
  createdAt: isoTime,
  updatedAt: isoTime,
  expiresAt: isoTime.optional().describe('When it expires. Absent: with the pool.'),
  accessCount: z.int().describe('How often it was read before; the count lags slightly.'),
  lastAccessedAt: isoTime.optional(),
} as const;

export const poolValueSchema = z.strictObject({ poolId: pathName, key, ...valueFields }).describe('A value of a pool.');

export type PoolValue = z.output<typeof poolValueSchema>;

export const poolKeyInputSchema = poolIdInputSchema.extend({ key });

export type PoolKeyInput = z.output<typeof poolKeyInputSchema>;

export const listPoolValuesInputSchema = poolIdInputSchema.extend(paged);

export type ListPoolValuesInput = z.output<typeof listPoolValuesInputSchema>;

export const listPoolValuesOutputSchema = z.strictObject({
  poolId: pathName,
  values: z.array(z.strictObject({ key: z.string(), ...valueFields })).describe('Sorted by key.'),
  ...page,
});

export type ListPoolValuesOutput = z.output<typeof listPoolValuesOutputSchema>;

/** What every change of a value takes. */
const changing = {
  ifVersion,
  ttlSeconds: ttlSeconds.optional().describe('How long the value that the first part names stays. Default: as before.'),
} as const;

export const writePoolInputSchema = poolKeyInputSchema.extend({
  value: jsonSchema,
  ifVersion,
  ttlSeconds: ttlSeconds
    .optional()
    .describe(
      'How long the value that the first part names stays. Default: as long as the pool; within a value: as before.',
    ),
});

export type WritePoolInput = z.output<typeof writePoolInputSchema>;

export const mergePoolInputSchema = poolKeyInputSchema.extend({
  fields: z.record(z.string(), jsonSchema).describe('Set one by one; the other fields stay.'),
  ...changing,
});

export type MergePoolInput = z.output<typeof mergePoolInputSchema>;

export const appendPoolInputSchema = poolKeyInputSchema.extend({
  items: z.array(jsonSchema).describe('Added to the end, in this order.'),
  ...changing,
});

export type AppendPoolInput = z.output<typeof appendPoolInputSchema>;

export const incrementPoolInputSchema = poolKeyInputSchema.extend({
  by: z.number().optional().describe('Default 1. May be negative.'),
  ...changing,
});

export type IncrementPoolInput = z.output<typeof incrementPoolInputSchema>;

export const removePoolValueInputSchema = poolKeyInputSchema.extend({ ifVersion });

export type RemovePoolValueInput = z.output<typeof removePoolValueInputSchema>;

export const followPoolInputSchema = poolIdInputSchema.extend(followEventsInputSchema.shape);

export type FollowPoolInput = z.output<typeof followPoolInputSchema>;
