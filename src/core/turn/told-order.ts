/** The order in which a prompt tells what was taken. Pure. */

import type { Said, TurnCandidate } from './candidate.ts';

/**
 * What was said is told from its beginning, so that what was taken back stands before what took its place: turns that were
 * found, after all that is known; and the conversation, which is gathered from its end.
 */
export function asTold<T extends TurnCandidate>(items: readonly T[]): T[] {
  const known = items.filter(({ section, said }) => section !== 'conversation' && said === undefined);
  const found = items.flatMap((item) => (item.said === undefined ? [] : [{ item, said: item.said, id: item.name.id }]));
  const conversation = items.filter(({ section }) => section === 'conversation');
  return [...known, ...found.toSorted(byTime).map(({ item }) => item), ...conversation.toReversed()];
}

interface Timed {
  readonly said: Said;
  readonly id: string | undefined;
}

/** Turns of one moment by their numbers; else by their ids, as memory lists them. */
function byTime(a: Timed, b: Timed): number {
  const isBefore = (a.id ?? '') < (b.id ?? '');
  return (
    Date.parse(a.said.at) - Date.parse(b.said.at) || (a.said.turn ?? 0) - (b.said.turn ?? 0) || (isBefore ? -1 : 1)
  );
}
