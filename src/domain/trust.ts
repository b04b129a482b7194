/**
 * How far the text of a memory is trusted, by where it came from. `user` and `agent` take part in the conversation; `tool`
 * and `outside` are strangers: anyone may have written their text. Pure.
 */

import type { Source } from './entry.ts';
import { TRUSTS, type Kind, type Role, type Trust } from './kind.ts';
import type { Principal } from './principal.ts';

/** Where a text came from, as far as known. */
export interface Origin {
  readonly source?: Source | undefined;
  readonly role?: Role | undefined;
  /** The trust that the writer claims. */
  readonly trust?: Trust | undefined;
  /** Whether it is a turn of a conversation that is being recorded. */
  readonly isTurn?: boolean | undefined;
}

/** The least trusted of these; `user` if there are none. */
export function leastTrust(...trusts: readonly (Trust | undefined)[]): Trust {
  let least = 0;
  for (const trust of trusts) if (trust !== undefined) least = Math.max(least, TRUSTS.indexOf(trust));
  return TRUSTS[least] ?? 'outside';
}

/** The stricter of two minimums. */
export function mostTrust(one: Trust, other: Trust = one): Trust {
  return isAtLeast(one, other) ? one : other;
}

export function isAtLeast(trust: Trust, min: Trust): boolean {
  return TRUSTS.indexOf(trust) <= TRUSTS.indexOf(min);
}

/** This trust and all higher ones. */
export function trustsFrom(min: Trust): Trust[] {
  return TRUSTS.filter((trust) => isAtLeast(trust, min));
}

/** Whether a stranger may have written it: then it never replaces what the user or the agent said. */
export function isStranger(trust: Trust): boolean {
  return !isAtLeast(trust, 'agent');
}

const OF_SOURCE: Readonly<Record<Source['type'], Trust>> = {
  user: 'user',
  manual: 'user',
  conversation: 'user',
  agent: 'agent',
  workflow: 'agent',
  system: 'agent',
  tool: 'tool',
  tool_result: 'tool',
  knowledge_sync: 'outside',
  import: 'outside',
};

const OF_ROLE: Readonly<Record<Role, Trust>> = { user: 'user', assistant: 'agent', system: 'agent', tool: 'tool' };

interface Kept extends Origin {
  readonly kind?: Kind | undefined;
  readonly identifiers: { readonly agentId?: string | undefined };
}

/** Entries stored before trust existed get the one they would have got. */
export function withTrust<One extends Kept>(kept: One): One & { readonly trust: Trust } {
  const { trust, identifiers, source, role, kind } = kept;
  return { ...kept, trust: trust ?? trustOf(identifiers, { source, role, isTurn: kind === 'episodic' }) };
}

/**
 * The one rule: the lowest that the source, the role and the writer allow. A writer's claim can only lower it. A principal
 * that names its agent is an agent, except where it records a turn that the user said.
 */
export function trustOf({ agentId }: Pick<Principal, 'agentId'>, { source, role, trust, isTurn }: Origin): Trust {
  const writer = agentId === undefined || (isTurn === true && role === 'user') ? 'user' : 'agent';
  return leastTrust(writer, source && OF_SOURCE[source.type], role && OF_ROLE[role], trust);
}
