/** Entries that exist but cannot be opened: a caller who names one is told so, and others are not affected. */

import { unreadable } from '../../domain/closed-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EntryStore } from '../../ports/entry-store.ts';
import { canSee } from './sight.ts';

/** For one that was not found. Throws `PROVIDER_ERROR` where it is there for the principal, and cannot be opened. */
export async function assertNotUnreadable(
  entries: EntryStore,
  principal: Principal,
  id: string,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<void> {
  const closed = (await entries.unreadable?.(principal, [id])) ?? [];
  if (closed.some((entry) => canSee(principal, entry) && isMeant(entry))) throw unreadable('memory', id);
}

/** For those that were found by an index, and could not be read. */
export async function unreadableWarnings(
  entries: EntryStore,
  principal: Principal,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const closed = ((await entries.unreadable?.(principal, ids)) ?? []).filter((entry) => canSee(principal, entry));
  if (closed.length === 0) return [];
  const named = closed.map(({ id }) => id).join(', ');
  return [
    `Left out, because they were altered beside Lamina and cannot be opened: ${named}. Delete them, or restore a backup.`,
  ];
}
