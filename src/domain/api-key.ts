/** An API key: a secret that stands for a principal until it expires or is revoked. */

import { z } from 'zod';
import { identifier, isoTime } from './entry.ts';
import { PRINCIPAL_ROLES } from './principal.ts';
import { page, paged, recorded } from './record.ts';

const MAX_DAYS = 3650;

const rolesSchema = z
  .array(z.enum(PRINCIPAL_ROLES))
  .describe('What the key may do: member (the default), admin, delegate (act for any user of the tenant).');

export const apiKeySchema = z.strictObject({
  keyId: z.string().describe('Names the key; not secret.'),
  name: z.string().min(1).max(100).describe('A name by which people recognise it.'),
  userId: identifier.describe('The user that the key acts as.'),
  agentId: identifier.optional().describe("Restricts the key to this agent's memory."),
  roles: rolesSchema,
  expiresAt: isoTime.optional().describe('When the key expires.'),
  revokedAt: isoTime.optional().describe('When the key was revoked.'),
  lastUsedAt: isoTime.optional().describe('To the minute.'),
  ...recorded,
});

export type ApiKey = z.output<typeof apiKeySchema>;

/** With the SHA-256 of the secret: kept, never shown. */
export type ApiKeyRecord = ApiKey & { readonly secretHash: string };

export const createKeyInputSchema = z.strictObject({
  name: apiKeySchema.shape.name,
  userId: apiKeySchema.shape.userId,
  agentId: apiKeySchema.shape.agentId,
  roles: rolesSchema.min(1).max(PRINCIPAL_ROLES.length).optional(),
  expiresAt: isoTime.optional().describe('When it expires. Default: never.'),
  expiresInDays: z.int().min(1).max(MAX_DAYS).optional().describe('The same, counted from now. Give one or the other.'),
});

export type CreateKeyInput = z.output<typeof createKeyInputSchema>;

export const createKeyOutputSchema = z.strictObject({
  key: z.string().describe('The key itself. It is shown here and never again.'),
  ...apiKeySchema.shape,
});

export type CreateKeyOutput = z.output<typeof createKeyOutputSchema>;

export const listKeysInputSchema = z.strictObject({ ...paged });

export type ListKeysInput = z.output<typeof listKeysInputSchema>;

export const listKeysOutputSchema = z.strictObject({
  keys: z.array(apiKeySchema).describe('Newest first, including expired and revoked ones.'),
  ...page,
});

export type ListKeysOutput = z.output<typeof listKeysOutputSchema>;

export const revokeKeyInputSchema = z.strictObject({ keyId: identifier });

export const revokeKeyOutputSchema = z.strictObject({
  revoked: z.boolean().describe('False if there is no such key.'),
});
