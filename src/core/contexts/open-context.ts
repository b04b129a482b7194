/** Coming to a context: who may do what there, and where its entries lie. */

import { partitionOf, type Partition, type Placement, type Shelf } from '../../domain/access.ts';
import type { ContextRecord } from '../../domain/context.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import { mayAccess, ownerPrincipal, ownsShared, type AccessLevel } from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';

/** A context that somebody has come to, who may do there what it was opened for. */
export interface OpenContext {
  readonly context: ContextRecord;
  /** To whom everything inside belongs: what is done there is done in this name. */
  readonly owner: Principal;
  readonly placement: Placement;
}

/** What somebody comes for. Only the owner manages; what is archived is not written to. */
export type Need = AccessLevel | 'manage';

/** Null where the context is not there, or not this principal's to see. Throws `FORBIDDEN`. */
export async function openContext(
  { records }: Pick<Dependencies, 'records'>,
  principal: Principal,
  contextId: string,
  need: Need,
): Promise<OpenContext | null> {
  const context = await records.contexts.get(principal, contextId);
  if (context === null || !mayAccess(principal, context, 'read')) return null;
  if (need === 'manage') assertManages(principal, context);
  if (need === 'write') assertWritable(principal, context);
  return openedBy(principal, context);
}

export function openedBy(principal: Principal, context: ContextRecord): OpenContext {
  return { context, owner: ownerPrincipal(principal, context), placement: placementIn(context) };
}

export function assertManages(principal: Principal, context: ContextRecord): void {
  if (ownsShared(principal, context)) return;
  throw new LaminaError('FORBIDDEN', 'This context is shared with you, but only its owner may manage it.');
}

function assertWritable(principal: Principal, context: ContextRecord): void {
  if (!mayAccess(principal, context, 'write')) {
    throw new LaminaError('FORBIDDEN', 'This context is shared with you to read. Its owner can let you write.');
  }
  assertInUse(context);
}

/** Throws `FORBIDDEN` for what is archived. */
export function assertInUse({ status }: ContextRecord): void {
  if (status === 'active') return;
  throw new LaminaError(
    'FORBIDDEN',
    'This context is archived: it can be read, not changed. Its owner can unarchive it.',
    {
      details: { status },
    },
  );
}

/** In the owner's layer, in a scope that names the context, private: so it lies apart from everything else. */
function placementIn({ contextId, ownerId, agentId }: ContextRecord): Placement {
  const layer = agentId === undefined ? 'user' : 'agent';
  const scope = scopeOf(layer, { userId: ownerId, agentId, contextId });
  return { scope, kind: 'semantic', visibility: 'private', ownerId };
}

/** Exactly where the entries of the context lie. */
export function partitionsOf({ placement }: Pick<OpenContext, 'placement'>, shelf: Shelf = 'active'): Partition[] {
  if (shelf === 'quarantined') return [partitionOf({ ...placement, isQuarantined: true })];
  const shelves = shelf === 'all' ? [false, true] : [shelf === 'archived'];
  return shelves.map((isArchived) => partitionOf({ ...placement, isArchived }));
}
