/**
 * Who may see and change what, within a tenant. Every entry belongs to exactly one **partition**: a scope, a kind and an
 * audience. A principal's reach is a list of partitions in which everything may be seen, so that a search has nothing to
 * filter out afterwards and other people's text cannot even shift its statistics.
 */

import { LaminaError } from './error.ts';
import { KINDS, type Kind } from './kind.ts';
import type { Principal } from './principal.ts';
import { PERSONAL_LAYERS, scopeKey, scopeOfKey, type Scope } from './scope.ts';

export const VISIBILITIES = ['private', 'shared'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Everyone in the tenant who can name the scope. */
const EVERYONE = '';

export interface Partition {
  readonly scope: Scope;
  readonly kind: Kind;
  /** The only user who may look inside, or the empty string for everyone. */
  readonly audience: string;
  /** Archived entries are separate, so that no search scans them unless it asks for them. */
  readonly isArchived?: boolean | undefined;
  /** So are entries that wait for review. */
  readonly isQuarantined?: boolean | undefined;
}

/** What determines the partition of an entry and who may change it. */
export interface Placement {
  readonly scope: Scope;
  readonly kind: Kind;
  readonly visibility: Visibility;
  /** The user that it belongs to, or null if it belongs to its layer. */
  readonly ownerId: string | null;
  readonly isArchived?: boolean | undefined;
  readonly isQuarantined?: boolean | undefined;
}

/** Private unless the entry is knowledge of a group: what happened and how things are done belong to a user. */
export function defaultVisibility(scope: Scope, kind: Kind): Visibility {
  return PERSONAL_LAYERS.has(scope.layer) || kind !== 'semantic' ? 'private' : 'shared';
}

/** The user that a new entry belongs to, or null if it belongs to its layer. */
export function ownerOf(principal: Principal, scope: Scope, kind: Kind, visibility: Visibility): string | null {
  if (PERSONAL_LAYERS.has(scope.layer)) return scope.identifiers.userId ?? principal.userId;
  return kind === 'semantic' && visibility === 'shared' ? null : principal.userId;
}

export function partitionOf(placement: Placement): Partition {
  const audience = placement.visibility === 'shared' ? EVERYONE : (placement.ownerId ?? EVERYONE);
  return { scope: placement.scope, kind: placement.kind, audience, ...shelfOf(placement) };
}

function shelfOf({ isArchived, isQuarantined }: Placement): Pick<Partition, 'isArchived' | 'isQuarantined'> {
  return { ...(isArchived === true && { isArchived }), ...(isQuarantined === true && { isQuarantined }) };
}

/** A text that is equal for equal partitions only. */
export function partitionKey(partition: Partition): string {
  const { scope, kind, audience, isArchived, isQuarantined } = partition;
  const shelf = isQuarantined === true ? ['quarantined'] : isArchived === true ? ['archived'] : [];
  return JSON.stringify([kind, audience, scopeKey(scope), ...shelf]);
}

/** The partition that {@link partitionKey} gave this text for. */
export function partitionOfKey(key: string): Partition {
  const [kind, audience, scope, shelf] = JSON.parse(key) as [Kind, string, string, ('archived' | 'quarantined')?];
  const place = { scope: scopeOfKey(scope), kind, audience };
  if (shelf === undefined) return place;
  return { ...place, ...(shelf === 'archived' ? { isArchived: true } : { isQuarantined: true }) };
}

/** A principal that names its agent is restricted to that agent; one that does not may read all of its agents. */
function isOtherAgent(principal: Principal, scope: Scope): boolean {
  return scope.layer === 'agent' && principal.agentId !== undefined && scope.identifiers.agentId !== principal.agentId;
}

export function mayRead(principal: Principal, placement: Placement): boolean {
  const { audience } = partitionOf(placement);
  if (audience === EVERYONE) return true;
  return audience === principal.userId && !isOtherAgent(principal, placement.scope);
}

export function mayWrite(principal: Principal, placement: Placement): boolean {
  if (!mayRead(principal, placement)) return false;
  return (
    placement.ownerId === null || (placement.ownerId === principal.userId && !isOtherAgent(principal, placement.scope))
  );
}

/** Throws `FORBIDDEN` when the principal may not put memory into this scope. */
export function assertMayWriteScope(principal: Principal, scope: Scope): void {
  if (!PERSONAL_LAYERS.has(scope.layer)) return;
  if (scope.identifiers.userId !== principal.userId) {
    throw new LaminaError(
      'FORBIDDEN',
      `The ${scope.layer} layer belongs to the user it names: "${principal.userId}" may not write under ` +
        `"${scope.identifiers.userId}". Act as that user (over HTTP: X-User-ID) or name your own id.`,
      { details: { layer: scope.layer } },
    );
  }
  if (isOtherAgent(principal, scope)) {
    throw new LaminaError('FORBIDDEN', `Agent "${principal.agentId}" may not write the memory of another agent.`, {
      details: { layer: scope.layer },
    });
  }
}

/** Active, archived, or both; and quarantined, which none of these includes. */
export const SHELVES = ['active', 'archived', 'all', 'quarantined'] as const;
export type Shelf = (typeof SHELVES)[number];

/**
 * The partitions of these scopes that the principal may look into. Naming another user narrows, never widens. Only people
 * may read what waits for review, agents may not.
 */
export function reachOf(
  principal: Principal,
  scopes: readonly Scope[],
  kinds: readonly Kind[] = KINDS,
  shelf: Shelf = 'active',
): Partition[] {
  if (shelf === 'quarantined' && principal.agentId !== undefined) return [];
  const active = scopes.flatMap((scope) => {
    const audiences = isOtherAgent(principal, scope) ? [EVERYONE] : [EVERYONE, principal.userId];
    return kinds.flatMap((kind) => audiences.map((audience) => ({ scope, kind, audience })));
  });
  if (shelf === 'quarantined') return active.map((partition) => ({ ...partition, isQuarantined: true }));
  const archived = active.map((partition) => ({ ...partition, isArchived: true }));
  return shelf === 'all' ? [...active, ...archived] : shelf === 'archived' ? archived : active;
}
