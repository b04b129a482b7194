/**
 * Whose knowledge it is and who finds it, written down a second time and as plainly as possible: the model against
 * which the suite of semantic memory holds an implementation.
 */

import type { PrincipalInput } from '../domain/principal.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Names that a careless comparison takes for one another, or for syntax. */
const USERS = ['u1', 'u10', "o'brien", '%', 'u1","x', 'Ünï🦊 cödé'];
const AGENTS = [undefined, 'a1'];
const TENANTS = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'];

interface Statement {
  readonly principal: PrincipalInput;
  readonly content: string;
  readonly userId?: string;
  readonly public?: boolean;
}

export interface Stated extends Statement {
  readonly id: string;
}

export function knowers(): PrincipalInput[] {
  return TENANTS.flatMap((tenantId) =>
    USERS.flatMap((userId) => AGENTS.map((agentId) => ({ tenantId, userId, ...(agentId && { agentId }) }))),
  );
}

export function someStatement(random: SeededRandom): Statement {
  const principal = random.pick(knowers());
  // Mostly one's own name or none, because the rest is refused.
  const userId = random.pick([null, principal.userId, principal.userId, principal.userId, random.pick(USERS)]);
  const isPublic = random.pick(['unsaid', true, false] as const);
  return {
    principal,
    content: `memo ${random.words(4)}`,
    ...(userId !== null && { userId }),
    ...(isPublic !== 'unsaid' && { public: isPublic }),
  };
}

export function mayState({ principal, userId }: Statement): boolean {
  return userId === undefined || userId === principal.userId;
}

function isPrivate({ userId, public: isPublic }: Statement): boolean {
  return userId === undefined ? isPublic === false : isPublic !== true;
}

export function finds(principal: PrincipalInput, stated: Stated, includePublic: boolean): boolean {
  if (principal.tenantId !== stated.principal.tenantId) return false;
  return isPrivate(stated) ? stated.principal.userId === principal.userId : includePublic;
}

/** Public knowledge of a user is changed by that user; what is nobody's in particular, by everyone. */
export function mayRevise(principal: PrincipalInput, stated: Stated): boolean {
  if (!finds(principal, stated, true)) return false;
  const isOfTenant = stated.userId === undefined && !isPrivate(stated);
  return isOfTenant || stated.principal.userId === principal.userId;
}

/** How an answer describes it. */
export function privacyOf(stated: Statement): { userId: string | null; public: boolean } {
  if (isPrivate(stated)) return { userId: stated.principal.userId, public: false };
  return { userId: stated.userId ?? null, public: true };
}
