/**
 * How far the event log has been read, as a text. Transactions get their numbers when they begin to write and become
 * visible when they commit, in another order: so a position is not one number but a snapshot, which says of every
 * transaction whether it has been read. Then nothing is missed that commits late, and nothing has to wait for a
 * transaction that takes long, whosever it is and in whichever database of the server.
 */

import { noPosition } from '../sql/event-position.ts';

export interface EventPosition {
  /** All transactions before this one have been read, */
  readonly next: number;
  /** but for those that were under way, in ascending order, */
  readonly underWay: readonly number[];
  /** and but for the events of one transaction that come after this. */
  readonly within?: EventPlace | undefined;
}

interface EventPlace {
  readonly transaction: number;
  readonly seq: number;
}

/** Nothing has been read. */
export const BEGINNING: EventPosition = { next: 0, underWay: [] };

/**
 * So many transactions under way are kept apart, so that a position fits into a header. Where there are more, which
 * few servers have connections for, those that began last are read later.
 */
const MAX_UNDER_WAY = 150;

/** Where the log ends for a snapshot, as PostgreSQL writes it: `xmin:xmax:xip,xip`. */
export function positionOfSnapshot(snapshot: string): EventPosition {
  const [, xmax = '0', list = ''] = snapshot.split(':');
  const underWay = numbersIn(list).toSorted((a, b) => a - b);
  return { next: underWay[MAX_UNDER_WAY] ?? Number(xmax), underWay: underWay.slice(0, MAX_UNDER_WAY) };
}

/**
 * After an event that was read from `start` on, when the log ended at `end`. First comes the rest of the transaction within
 * which it starts; then the others in the order of their numbers, so that of those before that of the event all have been
 * read that could be, and of those after it none that had not been before.
 */
export function afterEvent(start: EventPosition, end: EventPosition, place: EventPlace): EventPosition {
  const { transaction } = place;
  if (transaction === start.within?.transaction) return { ...start, within: place };
  return {
    next: Math.max(start.next, transaction + 1),
    underWay: [
      ...end.underWay.filter((each) => each < transaction),
      ...start.underWay.filter((each) => each > transaction),
    ],
    within: place,
  };
}

export function textOf({ next, underWay, within }: EventPosition): string {
  const list = underWay.length === 0 ? '' : `:${underWay.join(',')}`;
  return `${next}${list}${within ? `/${within.transaction}.${within.seq}` : ''}`;
}

const POSITION = /^(\d{1,15})(?::(\d{1,15}(?:,\d{1,15})*))?(?:\/(\d{1,15})\.(\d{1,15}))?$/;

/** Throws `VALIDATION_FAILED` for a text that is none. */
export function positionOf(text: string): EventPosition {
  const parts = POSITION.exec(text);
  if (!parts) throw noPosition();
  const [, next, list = '', transaction, seq] = parts;
  return {
    next: Number(next),
    underWay: numbersIn(list),
    within: seq === undefined ? undefined : { transaction: Number(transaction), seq: Number(seq) },
  };
}

/** Throws `VALIDATION_FAILED` for one that a log has not come to by this snapshot: it was another's, or from before a restore. */
export function assertReached({ next, within }: EventPosition, snapshot: string): void {
  const [, xmax = '0'] = snapshot.split(':');
  if (Math.max(next, within?.transaction ?? 0) > Number(xmax)) throw noPosition();
}

function numbersIn(list: string): number[] {
  return list === '' ? [] : list.split(',').map(Number);
}
