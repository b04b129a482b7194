/** A page of an archive, from the items that were read. */

import type { ArchivedEntry, ArchivePage, Place } from '../../ports/archive.ts';

export function archivePage<T>(items: readonly T[], placeOf: (item: T) => Place): ArchivePage<T> {
  const last = items.at(-1);
  return { items, last: last && placeOf(last) };
}

/** When an entry was read (milliseconds), as an archive has it. */
export function archivedTimes(times: readonly number[]): Pick<ArchivedEntry, 'accessTimes'> {
  return times.length === 0 ? {} : { accessTimes: times.map((time) => new Date(time).toISOString()) };
}
