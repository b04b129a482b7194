/** What the operations on events do, in terms of the core. */

import type { eventOperations } from './event-operations.ts';
import type { Handlers } from './handler.ts';

export const eventHandlers: Handlers<typeof eventOperations> = {
  'events.follow': (core, principal, input, signal) => core.events.follow(principal, input, signal),
  'events.position': async (core, principal) => ({ position: await core.events.position(principal) }),
};
