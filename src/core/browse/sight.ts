/** Which entries a principal may see and change by id. */

import { mayRead, mayWrite } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError, versionConflict } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { placementOf } from '../scoping.ts';

/** The same answer for unknown, deleted and invisible entries. */
export function notFound(id: string): LaminaError {
  return new LaminaError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } });
}

/** Only people see what waits for review: for agents it does not exist. */
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
  const message = `The memory is at version ${current.version}, not ${expected}: someone changed it in between.`;
  throw versionConflict(message, current.version, expected);
}
