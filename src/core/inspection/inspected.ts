/** The inspected memory, if the caller may see it. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { canSee, notFound } from '../browse/sight.ts';
import { assertNotUnreadable } from '../browse/unreadable.ts';
import type { Dependencies } from '../dependencies.ts';
import { isOutsideContexts } from '../scoping.ts';

/** Inspection does not count as an access. Throws `MEMORY_NOT_FOUND`. */
export async function inspected(
  { entries }: Pick<Dependencies, 'entries'>,
  principal: Principal,
  id: string,
): Promise<Entry> {
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined) await assertNotUnreadable(entries, principal, id, isOutsideContexts);
  if (entry === undefined || !isOpen(principal, entry)) throw notFound(id);
  return entry;
}

/** What a context holds is shown by the context alone. */
export function isOpen(principal: Principal, entry: Entry): boolean {
  return canSee(principal, entry) && isOutsideContexts(entry);
}
