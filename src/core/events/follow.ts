/** Follows the event log: reads from a position, waits for a hint that there is more, and goes on. */

import type { Event, FollowEventsInput } from '../../domain/event.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { Dependencies } from '../dependencies.ts';
import { Bell } from './bell.ts';

/** Events in memory at once, for each who follows. */
const PAGE_SIZE = 100;

/**
 * Every event after the position, or from now on, once and in order, until the signal tells to stop. The first page
 * comes at once, and says where it begins; a page without events only says how far the log has been followed. Throws
 * `VALIDATION_FAILED` for what is no position.
 */
export async function* follow(
  { events }: Pick<Dependencies, 'events'>,
  principal: Principal,
  { after }: FollowEventsInput,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<Event>, void> {
  const bell = new Bell(signal);
  const unwatch = events.watch(principal.tenantId, () => bell.ring());
  try {
    let page: StreamPage<Event> =
      after === undefined
        ? { items: [], position: await events.head(principal) }
        : await events.read(principal, after, PAGE_SIZE);
    yield page;
    while (!signal.aborted) {
      if (page.items.length < PAGE_SIZE) await bell.rung();
      if (signal.aborted) return;
      const before = page.position;
      page = await events.read(principal, before, PAGE_SIZE);
      if (page.items.length > 0 || page.position !== before) yield page;
    }
  } finally {
    unwatch();
    bell.dispose();
  }
}
