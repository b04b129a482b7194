/** The memory of a user's agents: where it is written, and how far a read of it goes. */

import { reachOf, type Partition } from '../domain/access.ts';
import { invalidField } from '../domain/error.ts';
import type { Kind } from '../domain/kind.ts';
import type { Principal } from '../domain/principal.ts';
import { scopeOf, type Identifiers, type Scope } from '../domain/scope.ts';
import type { Dependencies } from './dependencies.ts';

/** A read costs time for each partition, and each agent has two. */
const MAX_AGENTS = 100;

/** The principal's own, of the agent that is named, else of the one that is asking. */
export function agentIdentifiers({ userId, agentId: own }: Principal, agentId: string | undefined = own): Identifiers {
  return { userId, ...(agentId !== undefined && { agentId }) };
}

/** Entries of a context are reachable only through it. */
function isNoContext({ identifiers }: Scope): boolean {
  return identifiers.contextId === undefined;
}

/**
 * One agent of the user where one is named or asking, else all of them; throws `VALIDATION_FAILED` where these are too many
 * to read at once, rather than silently leave some out. Naming another user's agent reaches nothing more.
 */
export async function agentReach(
  { entries }: Dependencies,
  principal: Principal,
  agentId: string | undefined,
  kind: Kind,
): Promise<Partition[]> {
  const identifiers = agentIdentifiers(principal, agentId);
  const scopes =
    identifiers.agentId === undefined
      ? (await entries.personalScopes(principal, 'agent', principal.userId)).filter(isNoContext)
      : [scopeOf('agent', identifiers)];
  if (scopes.length > MAX_AGENTS) {
    const problem = `name one: you have more than ${MAX_AGENTS} agents, too many to read all at once`;
    throw invalidField('agentId', problem, { maxAgents: MAX_AGENTS });
  }
  return reachOf(principal, scopes, [kind]);
}
