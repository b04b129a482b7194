/** Keyset pagination: a page continues after its last item and not at an offset, so it is stable while others write. */

import { DEFAULT_PAGE_SIZE } from '../../domain/browse.ts';
import { bookmarkOf, cursorAfter, type Bookmark } from './cursor.ts';

export interface PageRequest<T> {
  /** Everything that identifies this list; a cursor is valid for no other. */
  readonly list: object;
  readonly cursor: string | undefined;
  /** Default {@link DEFAULT_PAGE_SIZE}. */
  readonly limit: number | undefined;
  /** The sort position of an item. */
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
  return pageAfter(request, bookmarkOf(request.list, request.cursor));
}

/**
 * The same with how many there are on all pages. They are counted for the first page, and the count travels in the cursor:
 * counting again for each page would slow down reading a long list.
 */
export async function countedPageOf<T>(
  request: PageRequest<T>,
  count: () => Promise<number>,
): Promise<Page<T> & { readonly totalCount: number }> {
  const after = bookmarkOf(request.list, request.cursor);
  const counted = after?.total ?? count();
  const [page, totalCount] = await Promise.all([pageAfter(request, after, counted), counted]);
  return { ...page, totalCount };
}

async function pageAfter<T>(
  { list, limit = DEFAULT_PAGE_SIZE, placeOf, read }: PageRequest<T>,
  after: Bookmark | undefined,
  counted?: number | Promise<number>,
): Promise<Page<T>> {
  // One more than asked for tells whether there is a next page.
  const [found, total] = await Promise.all([read(limit + 1, after), counted]);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorAfter(list, { ...placeOf(last), total }) };
}
