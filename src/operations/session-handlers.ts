/** What the operations on sessions do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { sessionOperations } from './session-operations.ts';

export const sessionHandlers: Handlers<typeof sessionOperations> = {
  'sessions.create': (core, principal, input) => core.sessions.create(principal, input),
  'sessions.list': (core, principal, input) => core.sessions.list(principal, input),
  'sessions.get': (core, principal, input) => core.sessions.get(principal, input.sessionId),
  'sessions.update': (core, principal, input) => core.sessions.update(principal, input),
  'sessions.delete': async (core, principal, input) => ({ success: await core.sessions.delete(principal, input) }),
};
