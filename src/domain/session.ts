/** A session: a conversation, which may hold several plans. */

import { z } from 'zod';
import { identifier, isoTime } from './entry.ts';
import { cascade, expected, page, paged, payload, recorded } from './record.ts';

const name = z.string().min(1).max(255).optional();

export const sessionSchema = z
  .strictObject({
    sessionId: identifier,
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

export const sessionIdInputSchema = z.strictObject({ sessionId: identifier });

export const createSessionInputSchema = z.strictObject({
  sessionId: identifier.optional().describe('Default: a new one.'),
  agentId: identifier.optional(),
  name,
  metadata: payload.optional(),
});

export type CreateSessionInput = z.output<typeof createSessionInputSchema>;

export const updateSessionInputSchema = z.strictObject({
  sessionId: identifier,
  lastInteraction: isoTime.optional().describe('Default: now. Every change is an interaction.'),
  name,
  metadata: payload.optional(),
  ended: z.boolean().optional().describe('true ends it now, unless it has ended already; false opens it again.'),
  endedAt: isoTime.optional().describe('Ends it at this time.'),
  ...expected,
  cascade: cascade.describe('Once it has ended, remove its plans with all that is theirs.'),
});

export type UpdateSessionInput = z.output<typeof updateSessionInputSchema>;

export const deleteSessionInputSchema = sessionIdInputSchema.extend({
  cascade: cascade.describe('Also remove its plans with all that is theirs, and the entries of its session layer.'),
});

export type DeleteSessionInput = z.output<typeof deleteSessionInputSchema>;

export const listSessionsInputSchema = z.strictObject({ agentId: identifier.optional(), ...paged });

export type ListSessionsInput = z.output<typeof listSessionsInputSchema>;

export const listSessionsOutputSchema = z.strictObject({
  sessions: z.array(sessionSchema).describe('Last interaction first.'),
  ...page,
});

export type ListSessionsOutput = z.output<typeof listSessionsOutputSchema>;
