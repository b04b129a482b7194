/** The event log: that a memory was created, updated or deleted, and never what it said. */

import { z } from 'zod';
import { entryId, isoTime } from './entry.ts';

const EVENT_TYPES = ['created', 'updated', 'deleted'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Longer than any engine's. */
const MAX_POSITION_LENGTH = 4096;

/** Means something to the engine that gave it, and to nobody else. */
const position = z.string().min(1).max(MAX_POSITION_LENGTH);

export const eventSchema = z
  .strictObject({
    id: position.describe('Its place in the log: go on after it, and nothing is missed or given twice.'),
    type: z.enum(EVENT_TYPES),
    memoryId: entryId.describe(
      'Which memory. After `updated` it may be out of your sight: then it was taken from you.',
    ),
    version: z.int().describe('The version that came to be, or that was deleted.'),
    at: isoTime,
  })
  .describe('That something happened to a memory.');

export type Event = z.output<typeof eventSchema>;

export const followEventsInputSchema = z.strictObject({
  after: position.optional().describe('The id of the last event that is known. Without it the stream begins now.'),
});

export type FollowEventsInput = z.output<typeof followEventsInputSchema>;

export const eventPositionInputSchema = z.strictObject({});

export const eventPositionOutputSchema = z.strictObject({
  position: position.describe('Where the log ends now: follow after it.'),
});
