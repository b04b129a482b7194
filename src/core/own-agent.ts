/** Which agent is meant: one of the principal's own. */

import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';

/**
 * The named agent, else the calling one; undefined for none. Agents are identified together with their user, so nobody can
 * name another user's. Throws `FORBIDDEN` if a calling agent names another one, which reveals nothing about what exists.
 */
export function ownAgent({ agentId: own }: Principal, named: string | undefined = own): string | undefined {
  if (own === undefined || named === own) return named;
  throw new LaminaError('FORBIDDEN', `Agent "${own}" is kept to its own memory and may not name agent "${named}".`, {
    details: { agentId: named },
  });
}
