/** The event log: that a memory was created, updated or deleted, and never what it said. */

import { z } from 'zod';
import { entryId, isoTime } from './entry.ts';

const EVENT_TYPES = ['created', 'updated', 'deleted'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Longer than any engine's positions. */
const MAX_POSITION_LENGTH = 4096;

/** Only meaningful to the engine that issued it. */
const position = z.string().min(1).max(MAX_POSITION_LENGTH);

export const eventSchema = z
  .strictObject({
    id: position.describe('Its position in the log: resume after it, and nothing is missed or repeated.'),
    type: z.enum(EVENT_TYPES),
    memoryId: entryId.describe('Which memory. If you cannot see it after `updated`, your access was withdrawn.'),
    version: z.int().describe('The new version, or the one that was deleted.'),
    at: isoTime,
  })
  .describe('A change to a memory.');

export type Event = z.output<typeof eventSchema>;

export const followEventsInputSchema = z.strictObject({
  after: position
    .optional()
    .describe(
      'The id of the last event you have. Without it the stream starts now. Refused if events after it are no longer ' +
        'kept: then read everything again, and follow from now.',
    ),
});

export type FollowEventsInput = z.output<typeof followEventsInputSchema>;

export const eventPositionInputSchema = z.strictObject({});

export const eventPositionOutputSchema = z.strictObject({
  position: position.describe('The current end of the log: follow from here.'),
});
