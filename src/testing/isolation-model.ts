/**
 * Who may see and change what, written down a second time and as plainly as possible: the model against which the
 * isolation suite holds an implementation.
 */

import type { Kind } from '../domain/kind.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Identifiers, Layer } from '../domain/scope.ts';
import type { Visibility } from '../domain/access.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Names that a careless comparison takes for one another, or for syntax. */
const USERS = ['u1', 'u10', "o'brien", '%', 'u1","x', 'Ünï🦊 cödé'];
const AGENTS = [undefined, 'a1', 'a10'];
const PROJECTS = ['p1', 'p10', '["p1"]'];
const SESSIONS = ['s1', 's10'];
const TENANTS = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'];

export interface Deed {
  readonly principal: PrincipalInput;
  readonly layer: Layer;
  readonly identifiers: Identifiers;
  readonly kind: Kind;
  readonly visibility: Visibility;
  readonly content: string;
}

export interface Known extends Deed {
  readonly id: string;
}

/** All principals of the model's world. */
export function principals(): PrincipalInput[] {
  return TENANTS.flatMap((tenantId) =>
    USERS.flatMap((userId) => AGENTS.map((agentId) => ({ tenantId, userId, ...(agentId && { agentId }) }))),
  );
}

/** Identifiers of somebody, not necessarily of the one who names them. */
export function someIdentifiers(random: SeededRandom, userId: string = random.pick(USERS)): Identifiers {
  return {
    userId,
    agentId: random.pick(['a1', 'a10']),
    sessionId: random.pick(SESSIONS),
    projectId: random.pick(PROJECTS),
    teamId: 't',
  };
}

export function someDeed(random: SeededRandom): Deed {
  const principal = random.pick(principals());
  // Mostly one's own name, because the rest is refused in personal layers.
  const userId = random.below(8) === 0 ? random.pick(USERS) : principal.userId;
  return {
    principal,
    layer: random.pick(['agent', 'user', 'session', 'project', 'project', 'team']),
    identifiers: someIdentifiers(random, userId),
    kind: random.pick(['semantic', 'semantic', 'episodic', 'procedural']),
    visibility: random.pick(['private', 'shared']),
    content: `memo ${random.words(4)}`,
  };
}

const PERSONAL = ['agent', 'user', 'session'];

function isKeptToAnotherAgent(principal: PrincipalInput, { layer, identifiers }: Deed): boolean {
  return layer === 'agent' && principal.agentId !== undefined && principal.agentId !== identifiers.agentId;
}

/** Personal layers are written by the person they name, and by an agent only where it is that agent's. */
export function mayDo(deed: Deed): boolean {
  if (!PERSONAL.includes(deed.layer)) return true;
  return deed.identifiers.userId === deed.principal.userId && !isKeptToAnotherAgent(deed.principal, deed);
}

function belongsToLayer(known: Known): boolean {
  return !PERSONAL.includes(known.layer) && known.kind === 'semantic' && known.visibility === 'shared';
}

function belongsTo(principal: PrincipalInput, known: Known): boolean {
  return (
    !belongsToLayer(known) && known.principal.userId === principal.userId && !isKeptToAnotherAgent(principal, known)
  );
}

export function canSee(principal: PrincipalInput, known: Known): boolean {
  if (principal.tenantId !== known.principal.tenantId) return false;
  return known.visibility === 'shared' || belongsTo(principal, known);
}

export function canChange(principal: PrincipalInput, known: Known): boolean {
  return canSee(principal, known) && (belongsToLayer(known) || belongsTo(principal, known));
}

const NEEDED: Partial<Record<Layer, readonly (keyof Identifiers)[]>> = {
  agent: ['userId', 'agentId'],
  user: ['userId'],
  session: ['userId', 'sessionId'],
  project: ['projectId'],
  team: ['teamId'],
};

/** Whether the identifiers name exactly the scope in which it lies. */
export function isNamedBy(identifiers: Identifiers, known: Known): boolean {
  return (NEEDED[known.layer] ?? []).every((name) => identifiers[name] === known.identifiers[name]);
}
