/** An API key: a secret that stands for a principal until it expires or is revoked. */

import { z } from 'zod';
import { identifier, isoTime } from './entry.ts';

export const PRINCIPAL_ROLES = ['member', 'admin'] as const;

export const apiKeySchema = z.strictObject({
  keyId: z.string().describe('Names the key; not secret.'),
  name: z.string().min(1).max(100),
  userId: identifier.describe('For whom the key speaks.'),
  agentId: identifier.optional(),
  roles: z.array(z.enum(PRINCIPAL_ROLES)),
  expiresAt: isoTime.optional(),
  revokedAt: isoTime.optional(),
  lastUsedAt: isoTime.optional(),
  version: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export type ApiKey = z.output<typeof apiKeySchema>;

/** With the SHA-256 of the secret: kept, never shown. */
export type ApiKeyRecord = ApiKey & { readonly secretHash: string };
