/** From the identifiers of a caller to scopes. */

import type { Placement } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import type { Principal } from '../domain/principal.ts';
import { accessibleLayers, scopeOf, type Identifiers, type Layer, type Scope } from '../domain/scope.ts';

/** Omitted identifiers default to the caller's own, and the tenant as the company; given ones are used as they are. */
export function identifiersOf({ tenantId, userId, agentId }: Principal, given: Identifiers | undefined): Identifiers {
  return given ?? { userId, ...(agentId !== undefined && { agentId }), companyId: tenantId };
}

/** The scopes of the named layers, or of every layer that the identifiers open; most specific first. */
export function scopesOf(identifiers: Identifiers, layers: readonly Layer[] | undefined): Scope[] {
  const named = new Set(layers);
  // Named layers are checked first, so that one that lacks its identifier is an error and not silently left out.
  for (const layer of named) scopeOf(layer, identifiers);
  const open = accessibleLayers(identifiers);
  return open.filter((layer) => layers === undefined || named.has(layer)).map((layer) => scopeOf(layer, identifiers));
}

/** Entries of a context are reachable only through it, where access is checked and logged. */
export function isOutsideContexts({ identifiers }: Pick<Entry, 'identifiers'>): boolean {
  return identifiers.contextId === undefined;
}

export function placementOf(entry: Entry): Placement {
  const { kind, visibility, ownerId, status } = entry;
  const shelf = { isArchived: status === 'archived', isQuarantined: status === 'quarantined' };
  return { scope: scopeOf(entry.layer, entry.identifiers), kind, visibility, ownerId, ...shelf };
}
