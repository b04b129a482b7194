/** A session: a conversation, which may hold several plans. */

import { z } from 'zod';
import { identifier, isoTime, metadataSchema } from './entry.ts';

export const sessionSchema = z.strictObject({
  sessionId: identifier,
  userId: z.string().describe('Whose session it is.'),
  agentId: identifier.optional(),
  name: z.string().min(1).max(255).optional(),
  metadata: metadataSchema,
  lastInteraction: isoTime,
  endedAt: isoTime.optional(),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export type Session = z.output<typeof sessionSchema>;
