/** The claims of a token as a principal. */

import { z } from 'zod';
import { identifier } from '../domain/entry.ts';
import { assertJson } from '../domain/json.ts';
import { PRINCIPAL_ROLES, type Principal } from '../domain/principal.ts';
import { unauthorized } from '../domain/unauthorized.ts';

const claimsSchema = z.object({
  tenant_id: z.guid().toLowerCase(),
  user_id: identifier.optional(),
  sub: identifier.optional(),
  agent_id: identifier.optional(),
  roles: z.array(z.unknown()).optional(),
});

/**
 * `tenant_id` is required, and `user_id` or else `sub`. Unknown roles are ignored; without any the principal is a member.
 * Throws `UNAUTHORIZED`.
 */
export function principalOf(claims: unknown): Principal {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success)
    throw unauthorized(`claims: ${parsed.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  const { tenant_id: tenantId, user_id, sub, agent_id: agentId } = parsed.data;
  const userId = user_id ?? sub;
  if (userId === undefined) throw unauthorized('claims: user_id, sub');
  const roles = PRINCIPAL_ROLES.filter((role) => parsed.data.roles?.includes(role));
  const principal: Principal = {
    tenantId,
    userId,
    ...(agentId !== undefined && { agentId }),
    roles: roles.length === 0 ? ['member'] : roles,
  };
  assertText(principal);
  return principal;
}

/** Text that no store accepts is refused here. */
function assertText(principal: Principal): void {
  try {
    assertJson(principal);
  } catch {
    throw unauthorized('claims: text that is not valid Unicode');
  }
}
