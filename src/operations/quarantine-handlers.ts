/** What the operations of quarantine do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { quarantineOperations } from './quarantine-operations.ts';

export const quarantineHandlers: Handlers<typeof quarantineOperations> = {
  'quarantine.list': (core, principal, input) => core.quarantine.list(principal, input),
  'quarantine.release': async (core, principal, input) => ({ memory: await core.quarantine.release(principal, input) }),
  'quarantine.reject': async (core, principal, input) => ({ rejected: await core.quarantine.reject(principal, input) }),
};
