/** Finding the entries of a context: one by its key, or all of them. */

import { MAX_WHOLE_ENTRIES } from '../../domain/context-snapshot.ts';
import type { Entry } from '../../domain/entry.ts';
import { assertWithin } from '../../domain/limits.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Position } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { partitionsOf, type OpenContext } from './open-context.ts';

const PAGE = 1000;

/** Also what was archived; null when nothing is there, or nothing any more. */
export async function entryAt(
  { entries, clock }: Dependencies,
  { owner, placement }: OpenContext,
  key: string,
): Promise<Entry | null> {
  const { ownerId } = placement;
  const [partition] = partitionsOf({ placement });
  if (partition === undefined) return null;
  const [entry] = await entries.findSame(owner, [{ partition, ownerId, externalId: key }]);
  if (!entry || entry.status === 'quarantined') return null;
  // What has expired still takes up its key, until it is written anew or cleared away.
  return hasExpired(entry, clock.now()) ? null : entry;
}

/** Every entry, archived ones too, newest first. Throws `LIMIT_EXCEEDED` where they are too many to be taken as a whole. */
export async function allEntries({ entries }: Dependencies, place: OpenContext): Promise<Entry[]> {
  const selection = { partitions: partitionsOf(place, 'all') };
  const found = new Map<string, Entry>();
  let position: Position | undefined;
  for (;;) {
    const page = await entries.list(place.owner, selection, PAGE, position);
    for (const entry of page) found.set(entry.id, entry);
    if (found.size > MAX_WHOLE_ENTRIES) {
      const count = await entries.count(place.owner, selection);
      assertWithin('LIMIT_EXCEEDED', 'The context', Math.max(count, found.size), MAX_WHOLE_ENTRIES, 'entries');
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return [...found.values()];
    position = { createdAt: Date.parse(last.createdAt), id: last.id };
  }
}
