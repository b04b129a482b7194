/** The order of lists, newest first, for entries that are at hand already. */

import type { Entry } from '../../domain/entry.ts';
import type { Bookmark } from '../paging/cursor.ts';

export function placeOf({ createdAt, id }: Entry): Bookmark {
  return { at: Date.parse(createdAt), id };
}

export function isAfter(entry: Entry, after: Bookmark | undefined): boolean {
  return after === undefined || inOrder(after, placeOf(entry)) < 0;
}

/** The newest first; what is there twice, once. */
export function newest(found: readonly Entry[], count: number): Entry[] {
  const distinct = new Map(found.map((entry) => [entry.id, entry]));
  return [...distinct.values()].toSorted((a, b) => inOrder(placeOf(a), placeOf(b))).slice(0, count);
}

function inOrder(a: Bookmark, b: Bookmark): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
