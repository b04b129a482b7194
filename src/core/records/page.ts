/** One page of a list of records. */

import type { Principal } from '../../domain/principal.ts';
import type { Recorded, RecordStore, Where } from '../../ports/record-store.ts';
import { pageOf, type Page, type PageRequest } from '../paging/page.ts';
import { isoAt } from './record.ts';

interface RecordPageRequest<R> extends Pick<PageRequest<R>, 'cursor' | 'limit'> {
  /** Which list it is: a cursor is valid for no other list, nor for another user. */
  readonly list: string;
  readonly where: Where<R>;
  /** The time by which this kind is listed, and the key. */
  readonly place: (record: R) => readonly [at: string, key: string];
}

/** Throws `VALIDATION_FAILED` for a cursor that is not of this list. */
export function recordPage<R extends Recorded>(
  store: RecordStore<R>,
  principal: Principal,
  { list, where, limit, cursor, place }: RecordPageRequest<R>,
): Promise<Page<R>> {
  return pageOf({
    list: { list, userId: principal.userId, where },
    cursor,
    limit,
    placeOf: (record) => {
      const [at, id] = place(record);
      return { at: Date.parse(at), id };
    },
    read: (count, after) =>
      store.list(principal, { where, limit: count, after: after && { at: isoAt(after.at), key: after.id } }),
  });
}
