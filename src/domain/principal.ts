/** Who is asking. Every call carries a principal; there is no call without one. */

import { z } from 'zod';
import { identifier } from './entry.ts';

export const NIL_TENANT = '00000000-0000-0000-0000-000000000000';
export const LOCAL_USER = 'local';

export const principalSchema = z.strictObject({
  tenantId: z
    .guid('must be a UUID')
    .toLowerCase()
    .default(NIL_TENANT)
    .describe('The isolation boundary. Nothing ever crosses it.'),
  userId: identifier.describe('A person or an autonomous agent.'),
  agentId: identifier.optional().describe("The agent that acts for the user; it is kept to that agent's memory."),
  roles: z.array(z.string().min(1).max(100)).optional(),
});

export type Principal = Readonly<z.output<typeof principalSchema>>;

/** A principal as a caller writes it: without a tenant it is the nil tenant's. */
export type PrincipalInput = z.input<typeof principalSchema>;

/** Whether it administers its tenant; see `PRINCIPAL_ROLES` for the roles that there are. */
export function isAdmin({ roles }: Principal): boolean {
  return roles?.includes('admin') ?? false;
}
