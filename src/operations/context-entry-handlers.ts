/** What the operations on entries of contexts do, in terms of the core. */

import type { contextEntryOperations } from './context-entry-operations.ts';
import type { Handlers } from './handler.ts';

export const contextEntryHandlers: Handlers<typeof contextEntryOperations> = {
  'contextEntries.put': ({ contextEntries }, principal, input) => contextEntries.put(principal, input),
  'contextEntries.list': ({ contextEntries }, principal, input) => contextEntries.list(principal, input),
  'contextEntries.get': ({ contextEntries }, principal, input) => contextEntries.get(principal, input),
  'contextEntries.delete': async ({ contextEntries }, principal, input) => ({
    success: await contextEntries.delete(principal, input),
  }),
  'contextEntries.versions': ({ contextEntries }, principal, input) => contextEntries.versions(principal, input),
  'contextEntries.boost': ({ contextEntries }, principal, input) => contextEntries.boost(principal, input),
  'contextEntries.reduce': ({ contextEntries }, principal, input) => contextEntries.reduce(principal, input),
  'contextEntries.archive': ({ contextEntries }, principal, input) => contextEntries.archive(principal, input),
  'contextEntries.unarchive': ({ contextEntries }, principal, input) => contextEntries.unarchive(principal, input),
  'contextEntries.search': ({ contextEntries }, principal, input) => contextEntries.search(principal, input),
};
