/** What the operations on contexts do, in terms of the core. */

import type { contextOperations } from './context-operations.ts';
import type { Handlers } from './handler.ts';

export const contextHandlers: Handlers<typeof contextOperations> = {
  'contexts.create': ({ contexts }, principal, input) => contexts.create(principal, input),
  'contexts.list': ({ contexts }, principal, input) => contexts.list(principal, input),
  'contexts.get': ({ contexts }, principal, input) => contexts.get(principal, input.contextId),
  'contexts.update': ({ contexts }, principal, input) => contexts.update(principal, input),
  'contexts.delete': async ({ contexts }, principal, input) => ({ success: await contexts.delete(principal, input) }),
  'contexts.archive': ({ contexts }, principal, input) => contexts.archive(principal, input),
  'contexts.unarchive': ({ contexts }, principal, input) => contexts.unarchive(principal, input),
  'contexts.grant': ({ contexts }, principal, input) => contexts.grant(principal, input),
  'contexts.revoke': ({ contexts }, principal, input) => contexts.revoke(principal, input),
  'contexts.accessibleBy': ({ contexts }, principal, input) => contexts.accessibleBy(principal, input),
  'contexts.accesses': ({ contexts }, principal, input) => contexts.accesses(principal, input),
  'contexts.clone': ({ contexts }, principal, input) => contexts.clone(principal, input),
  'contexts.export': ({ contexts }, principal, input) => contexts.export(principal, input.contextId),
  'contexts.import': ({ contexts }, principal, input) => contexts.import(principal, input),
};
