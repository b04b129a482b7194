/** A page of an archive, from the items that were read. */

import type { ArchivePage, Place } from '../../ports/archive.ts';

export function archivePage<T>(items: readonly T[], placeOf: (item: T) => Place): ArchivePage<T> {
  const last = items.at(-1);
  return { items, last: last && placeOf(last) };
}
