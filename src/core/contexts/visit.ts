/** Doing something in a context, recorded in its access log. */

import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, orAbsent } from '../records/record.ts';
import { clearContext } from './clear-context.ts';
import { openContext, type Need, type OpenContext } from './open-context.ts';

export interface Visit {
  readonly contextId: string;
  readonly need: Need;
  /** The operation, as the log has it. */
  readonly action: string;
  /** What was named: an entry by its key, a snapshot by its id, or who is given access or loses it. */
  readonly entryKey?: string;
}

/** The user, and the agent behind a slash. */
export function actorName({ userId, agentId }: Principal): string {
  return agentId === undefined ? userId : `${userId}/${agentId}`;
}

/**
 * Does the work and logs the access concurrently, so that reading takes no longer than the slower of the two. Null if the
 * context does not exist. An access that could not be logged fails, whatever it did.
 */
export async function visited<T>(
  dependencies: Dependencies,
  principal: Principal,
  visit: Visit,
  work: (place: OpenContext) => Promise<T>,
): Promise<T | null> {
  const place = await openContext(dependencies, principal, visit.contextId, visit.need);
  if (place === null) return null;
  const [done, logged] = await Promise.allSettled([work(place), logAccess(dependencies, principal, place, visit)]);
  if (visit.need === 'write') await assertStillThere(dependencies, place);
  if (done.status === 'rejected') throw done.reason;
  if (logged.status === 'rejected') throw logged.reason;
  return done.value;
}

/** The same where absence is an error: throws `NOT_FOUND`. */
export async function visiting<T>(
  dependencies: Dependencies,
  principal: Principal,
  visit: Visit,
  work: (place: OpenContext) => Promise<T>,
): Promise<T> {
  const answer = await visited(dependencies, principal, visit, async (place) => ({ of: await work(place) }));
  return orAbsent('context', answer).of;
}

export async function logAccess(
  { records, clock, ids }: Dependencies,
  { userId, agentId }: Principal,
  { context: { contextId, ownerId }, owner }: OpenContext,
  { action, entryKey }: Pick<Visit, 'action' | 'entryKey'>,
): Promise<void> {
  const at = isoAt(clock.now());
  await records.contextAccesses.create(owner, {
    accessId: ids.next(),
    contextId,
    ownerId,
    actorId: userId,
    ...(agentId !== undefined && { agentId }),
    action,
    ...(entryKey !== undefined && { entryKey }),
    createdAt: at,
    updatedAt: at,
  });
}

/** If the context was deleted during a write, what was written is removed too. Throws `NOT_FOUND`. */
async function assertStillThere(dependencies: Dependencies, place: OpenContext): Promise<void> {
  const context = await dependencies.records.contexts.get(place.owner, place.context.contextId);
  if (context === null) await clearContext(dependencies, place);
  orAbsent('context', context);
}
