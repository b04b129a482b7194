/** What happened to the memories that somebody may see. */

import type { Event, FollowEventsInput } from '../../domain/event.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { Dependencies } from '../dependencies.ts';
import { follow, type Followed } from './follow.ts';

export interface Events {
  /** Where the log ends now. */
  position(principal: Principal): Promise<string>;
  /** See {@link follow}. */
  follow(principal: Principal, input: FollowEventsInput, signal: AbortSignal): AsyncIterable<StreamPage<Event>>;
}

export function createEvents({ events }: Pick<Dependencies, 'events'>): Events {
  const seenBy = (principal: Principal): Followed<Event> => ({
    head: () => events.head(principal),
    read: (after, limit) => events.read(principal, after, limit),
    watch: (wake) => events.watch(principal.tenantId, wake),
  });
  return {
    position: (principal) => events.head(principal),
    follow: (principal, { after }, signal) => follow(seenBy(principal), after, signal),
  };
}
