/** Putting an entry of a context away, taking it back, or deleting it for good. */

import type { ChangeContextEntryInput, ContextEntry } from '../../domain/context-entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { remove } from '../forget/forget.ts';
import { setArchived } from '../lifecycle/archive.ts';
import { orAbsent } from '../records/record.ts';
import { contextEntryOf } from './context-entry-view.ts';
import { entryAt } from './find-entry.ts';
import { visited, visiting } from './visit.ts';

export function archiveEntry(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, key, expectedVersion }: ChangeContextEntryInput,
  isArchived: boolean,
): Promise<ContextEntry> {
  const action = isArchived ? 'contextEntries.archive' : 'contextEntries.unarchive';
  const visit = { contextId, need: 'write', action, entryKey: key } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const { id } = orAbsent('entry', await entryAt(dependencies, place, key));
    const entry = await setArchived(dependencies, place.owner, { id, isArchived, expectedVersion });
    return contextEntryOf(entry, dependencies.clock.now());
  });
}

/** Snapshots name only versions, so that nothing of the text is left in them. */
export async function removeEntry(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, key, expectedVersion }: ChangeContextEntryInput,
): Promise<boolean> {
  const visit = { contextId, need: 'write', action: 'contextEntries.delete', entryKey: key } as const;
  const isRemoved = await visited(dependencies, principal, visit, async (place) => {
    const entry = await entryAt(dependencies, place, key);
    return entry !== null && remove(dependencies, place.owner, { id: entry.id, expectedVersion });
  });
  return isRemoved ?? false;
}
