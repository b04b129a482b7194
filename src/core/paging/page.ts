/** One page of a list that continues from its last item and not from a number: stable while others write. */

import { DEFAULT_PAGE_SIZE } from '../../domain/browse.ts';
import { bookmarkOf, cursorAfter, type Bookmark } from './cursor.ts';

export interface PageRequest<T> {
  /** Everything that tells this list from others; a cursor is good for no other. */
  readonly list: object;
  readonly cursor: string | undefined;
  /** Default {@link DEFAULT_PAGE_SIZE}. */
  readonly limit: number | undefined;
  /** Where an item stands in the order of the list. */
  readonly placeOf: (item: T) => Bookmark;
  /** At most so many items, after the place where one is given. */
  readonly read: (limit: number, after: Bookmark | undefined) => Promise<T[]>;
}

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

/** Throws `VALIDATION_FAILED` for a cursor that is not of this list. */
export async function pageOf<T>(request: PageRequest<T>): Promise<Page<T>> {
  const { list, cursor, limit = DEFAULT_PAGE_SIZE, placeOf, read } = request;
  // One more than asked for tells whether there is a next page.
  const found = await read(limit + 1, bookmarkOf(list, cursor));
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorAfter(list, placeOf(last)) };
}
