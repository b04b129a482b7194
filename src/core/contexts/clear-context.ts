/** Removing everything that a context holds: entries with their history, snapshots and log. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dependencies } from '../dependencies.ts';
import { partitionsOf, type OpenContext } from './open-context.ts';

/** Few enough that nobody waits long for a transaction. */
const PAGE = 200;

/** Can be repeated at any time: an interrupted call has removed some of it. */
export async function clearContext({ entries, records, embedder }: Dependencies, place: OpenContext): Promise<void> {
  const { owner, context } = place;
  const partitions = partitionsOf(place, 'all');
  for (;;) {
    const { count, texts } = await entries.transaction(owner, async (tx) => {
      const page = await tx.list({ partitions }, PAGE);
      return { count: page.length, texts: await tx.remove(page.map(({ id }) => id)) };
    });
    if (texts.length > 0) embedder.forget(texts);
    if (count < PAGE) break;
    await nextTurn();
  }
  const where = { contextId: [context.contextId] };
  await records.contextSnapshots.removeAll(owner, where);
  for (;;) {
    const page = await records.contextAccesses.list(owner, { where, limit: PAGE });
    if (page.length === 0) return;
    await records.contextAccesses.removeAll(owner, { accessId: page.map(({ accessId }) => accessId) });
    await nextTurn();
  }
}
