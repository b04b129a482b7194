/** One page of a list that continues from an entry and not from a number: stable while others write. */

import type { Entry } from '../../domain/entry.ts';
import { bookmarkOf, cursorAfter, type Bookmark } from './cursor.ts';

interface PageRequest {
  /** Everything that tells this list from others; a cursor is good for no other. */
  readonly list: object;
  readonly cursor: string | undefined;
  readonly limit: number;
  /** The time that the list goes by. */
  readonly timeOf: (entry: Entry) => string;
  readonly read: (limit: number, after: Bookmark | undefined) => Promise<Entry[]>;
}

export interface Page {
  readonly entries: Entry[];
  readonly nextCursor: string | null;
}

/** Throws `VALIDATION_FAILED` for a cursor that is not of this list. */
export async function pageOf({ list, cursor, limit, timeOf, read }: PageRequest): Promise<Page> {
  // One more than asked for tells whether there is a next page.
  const found = await read(limit + 1, bookmarkOf(list, cursor));
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  const isLast = last === undefined || found.length <= limit;
  return {
    entries,
    nextCursor: isLast ? null : cursorAfter(list, { at: Date.parse(timeOf(last)), id: last.id }),
  };
}
