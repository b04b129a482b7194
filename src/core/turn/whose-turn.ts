/** Whose turn it is: the identifiers that open the layers, and the agent that goes by procedures. */

import { invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Identifiers } from '../../domain/scope.ts';
import type { TurnContextInput } from '../../domain/turn.ts';
import { ownAgent } from '../own-agent.ts';
import { identifiersOf } from '../scoping.ts';

/**
 * The principal's own identifiers, and those that are given on top. Throws `VALIDATION_FAILED` where two of them differ, and
 * `FORBIDDEN` where an agent names another one.
 */
export function whoseTurn(principal: Principal, input: TurnContextInput): Identifiers {
  const { identifiers: given = {} } = input;
  const agentId = ownAgent(principal, one('agentId', input.agentId, given.agentId));
  const sessionId = one('sessionId', input.sessionId, given.sessionId);
  const own = identifiersOf(principal, undefined);
  return { ...own, ...given, ...(agentId !== undefined && { agentId }), ...(sessionId !== undefined && { sessionId }) };
}

function one(
  name: 'agentId' | 'sessionId',
  named: string | undefined,
  identified: string | undefined,
): string | undefined {
  if (named !== undefined && identified !== undefined && named !== identified) {
    throw invalidField(`identifiers.${name}`, `is another than ${name}; name one of them`);
  }
  return named ?? identified;
}
