/** What the operations on facts do, in terms of the core. */

import type { factOperations } from './fact-operations.ts';
import type { Handlers } from './handler.ts';

export const factHandlers: Handlers<typeof factOperations> = {
  'facts.add': (core, principal, input) => core.facts.add(principal, input),
  'facts.addMany': async (core, principal, { facts }) => ({ results: await core.facts.addMany(principal, facts) }),
  'facts.list': (core, principal, input) => core.facts.list(principal, input),
  'facts.neighbours': (core, principal, input) => core.facts.neighbours(principal, input),
  'facts.path': (core, principal, input) => core.facts.path(principal, input),
  'facts.get': (core, principal, input) => core.facts.get(principal, input.factId),
  'facts.update': (core, principal, input) => core.facts.update(principal, input),
  'facts.delete': async (core, principal, input) => ({ success: await core.facts.delete(principal, input) }),
};
