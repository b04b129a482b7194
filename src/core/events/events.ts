/** What happened to the memories that somebody may see. */

import type { Event, FollowEventsInput } from '../../domain/event.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { Dependencies } from '../dependencies.ts';
import { follow } from './follow.ts';

export interface Events {
  /** Where the log ends now. */
  position(principal: Principal): Promise<string>;
  /** See {@link follow}. */
  follow(principal: Principal, input: FollowEventsInput, signal: AbortSignal): AsyncIterable<StreamPage<Event>>;
}

export function createEvents({ events }: Pick<Dependencies, 'events'>): Events {
  return {
    position: (principal) => events.head(principal),
    follow: (principal, input, signal) => follow({ events }, principal, input, signal),
  };
}
