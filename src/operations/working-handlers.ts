/** What the operations on working memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { workingOperations } from './working-operations.ts';

export const workingHandlers: Handlers<typeof workingOperations> = {
  'working.set': (core, principal, input) => core.working.set(principal, input),
  'working.get': (core, principal, input) => core.working.get(principal, input),
  'working.delete': async (core, principal, input) => ({ success: await core.working.delete(principal, input) }),
  'working.list': (core, principal, input) => core.working.list(principal, input),
  'working.clear': async (core, principal, { planId }) => ({
    planId,
    deletedCount: await core.working.clear(principal, planId),
  }),
  'working.increment': (core, principal, input) => core.working.increment(principal, input),
  'working.append': (core, principal, input) => core.working.append(principal, input),
  'working.merge': (core, principal, input) => core.working.merge(principal, input),
};
