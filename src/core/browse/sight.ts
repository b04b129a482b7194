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

export function canSee(principal: Principal, entry: Entry): boolean {
  return mayRead(principal, placementOf(entry));
}

/** Throws `MEMORY_NOT_FOUND` for what may not be seen, `FORBIDDEN` for what may be seen but not changed. */
export function assertMayWriteEntry(principal: Principal, entry: Entry): void {
  if (!canSee(principal, entry)) throw notFound(entry.id);
  if (mayWrite(principal, placementOf(entry))) return;
  throw new LaminaError('FORBIDDEN', 'This memory is shared with you, but only the user it belongs to may change it.');
}
