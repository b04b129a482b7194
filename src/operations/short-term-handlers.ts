/** What the operations on short-term memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { shortTermOperations } from './short-term-operations.ts';

export const shortTermHandlers: Handlers<typeof shortTermOperations> = {
  'shortTerm.write': (core, principal, input) => core.shortTerm.write(principal, input),
  'shortTerm.get': (core, principal, input) => core.shortTerm.get(principal, input),
  'shortTerm.list': (core, principal, input) => core.shortTerm.list(principal, input),
  'shortTerm.delete': async (core, principal, input) => ({ success: await core.shortTerm.delete(principal, input) }),
  'shortTerm.clear': (core, principal, input) => core.shortTerm.clear(principal, input),
  'shortTerm.refreshTtl': (core, principal, input) => core.shortTerm.refreshTtl(principal, input),
  'shortTerm.stats': (core, principal, input) => core.shortTerm.stats(principal, input),
};
