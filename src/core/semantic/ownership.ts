/** The owner of a piece of knowledge, and the scope that follows from it. */

import type { Placement } from '../../domain/access.ts';
import { LaminaError, invalidField } from '../../domain/error.ts';
import { isAdmin, type Principal } from '../../domain/principal.ts';
import { scopeOf, type Scope } from '../../domain/scope.ts';
import type { SemanticStoreInput } from '../../domain/semantic.ts';

/** What the whole tenant may read lies in the company layer, and the tenant is the company. */
export function tenantScope({ tenantId }: Principal): Scope {
  return scopeOf('company', { companyId: tenantId });
}

export function userScope({ userId }: Principal): Scope {
  return scopeOf('user', { userId });
}

/** Reading never depends on roles: nobody reads what is private to another. */
export function assertSelf(principal: Principal, userId: string = principal.userId): void {
  if (userId !== principal.userId) throw notSelf(principal, userId);
}

/** The principal to write as: oneself, or for an admin anyone of the tenant. Throws `FORBIDDEN`. */
function writerFor(principal: Principal, userId: string = principal.userId): Principal {
  if (userId === principal.userId) return principal;
  const { tenantId, roles } = principal;
  if (isAdmin(principal)) return { tenantId, userId, roles };
  throw notSelf(principal, userId);
}

function notSelf(principal: Principal, userId: string): LaminaError {
  return new LaminaError(
    'FORBIDDEN',
    `"${principal.userId}" may not act for "${userId}". Name your own id, or leave it out.`,
    { details: { userId } },
  );
}

export interface Ownership {
  readonly actor: Principal;
  readonly placement: Placement;
  /** The scope of the same knowledge with the other visibility. */
  readonly elsewhere: readonly Placement[];
  /** Where it may be everyone's as well, which is not this user's to take away. */
  readonly everyones?: Placement;
}

export function ownershipOf(principal: Principal, input: SemanticStoreInput): Ownership {
  const actor = writerFor(principal, input.userId);
  const isPublic = publicity(input);
  // Without a user it is the tenant's; but who says that it is not public can only mean oneself.
  if (input.userId === undefined && isPublic !== false) return { actor, placement: ofTenant(actor), elsewhere: [] };
  if (isPublic) return { actor, placement: ofAll(actor), elsewhere: [ofOne(actor)] };
  return { actor, placement: ofOne(actor), elsewhere: [ofAll(actor)], everyones: ofTenant(actor) };
}

function publicity({ public: given, isPublic }: SemanticStoreInput): boolean | undefined {
  if (given !== undefined && isPublic !== undefined && given !== isPublic) {
    throw invalidField('isPublic', 'the same as public, but differs');
  }
  return given ?? isPublic;
}

function ofTenant(actor: Principal): Placement {
  return { scope: tenantScope(actor), kind: 'semantic', visibility: 'shared', ownerId: null };
}

/** Public: all read it, its user changes it. */
function ofAll(actor: Principal): Placement {
  return { scope: tenantScope(actor), kind: 'semantic', visibility: 'shared', ownerId: actor.userId };
}

function ofOne(actor: Principal): Placement {
  return { scope: userScope(actor), kind: 'semantic', visibility: 'private', ownerId: actor.userId };
}
