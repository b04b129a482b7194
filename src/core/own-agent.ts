/** Which agent is meant: one of the principal's own. */

import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';

/**
 * The agent that is named, else the one that is asking; undefined for none. Agents are known by the user whose they are, so
 * nobody can name another's. Throws `FORBIDDEN` where an agent that is asking names another one: that says nothing of
 * what there is.
 */
export function ownAgent({ agentId: own }: Principal, named: string | undefined = own): string | undefined {
  if (own === undefined || named === own) return named;
  throw new LaminaError('FORBIDDEN', `Agent "${own}" is kept to its own memory and may not name agent "${named}".`, {
    details: { agentId: named },
  });
}
