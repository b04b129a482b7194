/** How far a tool reaches: what its context opens, and what of it a model may be shown. */

import { isWithin, type Sensitivity, type Trust } from '../domain/kind.ts';
import type { Identifiers } from '../domain/scope.ts';
import { isAtLeast } from '../domain/trust.ts';
import type { ToolContext } from './memory-tool.ts';

/** The default of what may go to an external model, as for the context of a turn. */
const DEFAULT_MAX_SENSITIVITY: Sensitivity = 'internal';

/** Undefined means the principal's own, which only the core knows. */
export function openIdentifiers({ identifiers, agentId, sessionId }: ToolContext): Identifiers | undefined {
  if (identifiers === undefined) return undefined;
  return {
    ...(agentId !== undefined && { agentId }),
    ...(sessionId !== undefined && { sessionId }),
    ...identifiers,
  };
}

/** The same as part of an input. */
export function reach(context: ToolContext): { identifiers?: Identifiers } {
  const identifiers = openIdentifiers(context);
  return identifiers === undefined ? {} : { identifiers };
}

/** The agent as part of an input; without it the core takes the one that the principal names. */
export function agentOf({ agentId, identifiers }: ToolContext): { agentId?: string } {
  const named = agentId ?? identifiers?.agentId;
  return named === undefined ? {} : { agentId: named };
}

export function maxSensitivityOf({ maxSensitivity = DEFAULT_MAX_SENSITIVITY }: ToolContext): Sensitivity {
  return maxSensitivity;
}

export function mayShow(context: ToolContext, sensitivity: Sensitivity): boolean {
  return isWithin(sensitivity, maxSensitivityOf(context));
}

type Trusting = Pick<ToolContext, 'minTrust'>;

/** What is not trusted enough or waits for review does not exist for a model. */
export function isTrusted({ minTrust = 'outside' }: Trusting, { trust }: { readonly trust: Trust }): boolean {
  return isAtLeast(trust, minTrust);
}

/** The trust as part of an input. */
export function trustOf({ minTrust }: Trusting): { minTrust?: Trust } {
  return minTrust === undefined ? {} : { minTrust };
}

/** What may be shown, and how many may not. */
export function shownOf<Item extends { readonly sensitivity: Sensitivity }>(
  context: ToolContext,
  items: readonly Item[],
): { shown: Item[]; withheld: number } {
  const shown = items.filter(({ sensitivity }) => mayShow(context, sensitivity));
  return { shown, withheld: items.length - shown.length };
}

/** Where what a tool writes comes from: an agent, in this conversation. */
export function toolSource({ sessionId }: ToolContext): { type: 'agent'; reference?: string } {
  return { type: 'agent', ...(sessionId !== undefined && { reference: sessionId }) };
}
