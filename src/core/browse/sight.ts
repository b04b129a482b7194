/** What a principal gets to see of an entry that it names. */

import { mayRead, mayWrite } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { placementOf } from '../scoping.ts';

/** The same answer for what never was, what is gone and what is not yours to know of. */
export function notFound(id: string): LaminaError {
  return new LaminaError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } });
}

/** What waits for review is there for people only: for agents it is as if it were not. */
export function canSee(principal: Principal, entry: Entry): boolean {
  if (entry.status === 'quarantined' && principal.agentId !== undefined) return false;
  return mayRead(principal, placementOf(entry));
}

/** Throws `MEMORY_NOT_FOUND` for what may not be seen, `FORBIDDEN` for what may be seen but not changed. */
export function assertMayWriteEntry(principal: Principal, entry: Entry): void {
  if (!canSee(principal, entry)) throw notFound(entry.id);
  if (mayWrite(principal, placementOf(entry))) return;
  throw new LaminaError('FORBIDDEN', 'This memory is shared with you, but only the user it belongs to may change it.');
}

/** Throws `VERSION_CONFLICT` when the entry is not as the caller last saw it. */
export function assertVersion(current: Entry, expected: number | undefined): void {
  if (expected === undefined || expected === current.version) return;
  throw new LaminaError(
    'VERSION_CONFLICT',
    `The memory is at version ${current.version}, not ${expected}: someone changed it in between.`,
    { details: { currentVersion: current.version, expectedVersion: expected } },
  );
}
