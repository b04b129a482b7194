/** What the operations of the router do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { routerOperations } from './router-operations.ts';

export const routerHandlers: Handlers<typeof routerOperations> = {
  'router.read': (core, principal, input) => core.router.read(principal, input),
  'router.write': (core, principal, input) => core.router.write(principal, input),
  'router.delete': async (core, principal, input) => ({ success: await core.router.delete(principal, input) }),
  'router.search': (core, principal, input) => core.router.search(principal, input),
  'router.consolidate': (core, principal, input) => core.router.consolidate(principal, input),
  'router.stats': (core, principal, input) => core.router.stats(principal, input),
};
