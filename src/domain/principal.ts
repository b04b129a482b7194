/** Who is asking. Every call carries a principal; there is no call without one. */

import { z } from 'zod';
import { identifier } from './entry.ts';

export const NIL_TENANT = '00000000-0000-0000-0000-000000000000';
export const LOCAL_USER = 'local';
export const PRINCIPAL_ROLES = ['member', 'admin', 'delegate'] as const;

/** Whose memory it is where nobody names an agent: conversations and rules belong to one, and most callers have only one. */
export const DEFAULT_AGENT = 'assistant';

export const principalSchema = z.strictObject({
  tenantId: z
    .guid('must be a UUID')
    .toLowerCase()
    .default(NIL_TENANT)
    .describe('The isolation boundary. Nothing ever crosses it.'),
  userId: identifier.describe('A person or an autonomous agent.'),
  agentId: identifier
    .optional()
    .describe("The agent that acts for the user; restricts the call to that agent's memory."),
  // A misspelt one would be noticed much later, as FORBIDDEN.
  roles: z.array(z.enum(PRINCIPAL_ROLES, `is no role; known are: ${PRINCIPAL_ROLES.join(', ')}`)).optional(),
});

export type Principal = Readonly<z.output<typeof principalSchema>> & {
  /** Whose credential it was, if a header restricted it to an agent or named the user. Only the service sets it. */
  readonly holder?: { readonly userId: string; readonly agentId?: string | undefined };
};

/** A principal as a caller writes it: without a tenant it gets the nil tenant. */
export type PrincipalInput = z.input<typeof principalSchema>;

/** Whether it administers its tenant. */
export function isAdmin({ roles }: Principal): boolean {
  return roles?.includes('admin') ?? false;
}

/** Whether it may name any user of its tenant, to act for them as a member. */
export function isDelegate({ roles }: Pick<Principal, 'roles'>): boolean {
  return roles?.includes('delegate') ?? false;
}
