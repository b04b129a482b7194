/** A session: a conversation, which may hold several plans. */

import { z } from 'zod';
import { identifier, isoTime, pathName } from './entry.ts';
import { cascade, expected, page, paged, payload, recorded } from './record.ts';

const name = z.string().min(1).max(255).optional();

export const sessionSchema = z
  .strictObject({
    sessionId: pathName,
    userId: z.string().describe('Whose session it is.'),
    agentId: identifier.optional(),
    name,
    metadata: payload,
    lastInteraction: isoTime,
    endedAt: isoTime.optional(),
    ...recorded,
  })
  .describe('A conversation, which may hold several plans.');

export type Session = z.output<typeof sessionSchema>;

export const sessionIdInputSchema = z.strictObject({ sessionId: pathName });

export const createSessionInputSchema = z.strictObject({
  sessionId: pathName.optional().describe('Default: a new one.'),
  agentId: identifier.optional(),
  name,
  metadata: payload.optional(),
});

export type CreateSessionInput = z.output<typeof createSessionInputSchema>;

export const updateSessionInputSchema = z.strictObject({
  sessionId: pathName,
  lastInteraction: isoTime.optional().describe('Default: now. Every change is an interaction.'),
  name,
  metadata: payload.optional(),
  ended: z.boolean().optional().describe('true ends it now, unless it has already ended; false reopens it.'),
  endedAt: isoTime.optional().describe('Ends it at this time.'),
  ...expected,
  cascade: cascade.describe('Once it has ended, remove the working memory of your plans in it.'),
});

export type UpdateSessionInput = z.output<typeof updateSessionInputSchema>;

export const updateSessionOutputSchema = sessionSchema.extend({
  cleanUp: z
    .strictObject({
      promoted: z.int().describe('Memories of the session layer that became memories of the user.'),
      blocked: z.int().describe('Important ones that did not, because they are confidential or restricted.'),
    })
    .optional()
    .describe('What happened to its memories. Only when it ends and promotion is configured.'),
});

export type UpdateSessionOutput = z.output<typeof updateSessionOutputSchema>;

export const deleteSessionInputSchema = sessionIdInputSchema.extend({
  cascade: cascade.describe(
    'Also remove your plans in it with everything that belongs to them, its short-term memory, and the entries of its session layer.',
  ),
});

export type DeleteSessionInput = z.output<typeof deleteSessionInputSchema>;

export const listSessionsInputSchema = z.strictObject({ agentId: identifier.optional(), ...paged });

export type ListSessionsInput = z.output<typeof listSessionsInputSchema>;

export const listSessionsOutputSchema = z.strictObject({
  sessions: z.array(sessionSchema).describe('Last interaction first.'),
  ...page,
});

export type ListSessionsOutput = z.output<typeof listSessionsOutputSchema>;
