/** One page of a list of records. */

import { DEFAULT_PAGE_SIZE } from '../../domain/browse.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Recorded, RecordStore, Where } from '../../ports/record-store.ts';
import { bookmarkOf, cursorAfter } from '../browse/cursor.ts';
import { isoAt } from './record.ts';

interface PageRequest<R> {
  /** Which list it is: a cursor is good for no other, nor for another user's. */
  readonly list: string;
  readonly where: Where<R>;
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  /** The time by which this kind is listed, and the key. */
  readonly place: (record: R) => readonly [at: string, key: string];
}

export interface Page<R> {
  readonly records: R[];
  readonly nextCursor: string | null;
}

/** Throws `VALIDATION_FAILED` for a cursor that is not of this list. */
export async function recordPage<R extends Recorded>(
  store: RecordStore<R>,
  principal: Principal,
  { list, where, limit = DEFAULT_PAGE_SIZE, cursor, place }: PageRequest<R>,
): Promise<Page<R>> {
  const identity = { list, userId: principal.userId, where };
  const bookmark = bookmarkOf(identity, cursor);
  const after = bookmark && { at: isoAt(bookmark.at), key: bookmark.id };
  // One more than asked for tells whether there is a next page.
  const found = await store.list(principal, { where, limit: limit + 1, after });
  const records = found.slice(0, limit);
  const last = found.length > limit ? records.at(-1) : undefined;
  if (last === undefined) return { records, nextCursor: null };
  const [at, id] = place(last);
  return { records, nextCursor: cursorAfter(identity, { at: Date.parse(at), id }) };
}
