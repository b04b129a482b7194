/** What the operations on snapshots of contexts do, in terms of the core. */

import type { contextSnapshotOperations } from './context-snapshot-operations.ts';
import type { Handlers } from './handler.ts';

export const contextSnapshotHandlers: Handlers<typeof contextSnapshotOperations> = {
  'contextSnapshots.create': ({ contextSnapshots }, principal, input) => contextSnapshots.create(principal, input),
  'contextSnapshots.list': ({ contextSnapshots }, principal, input) => contextSnapshots.list(principal, input),
  'contextSnapshots.get': ({ contextSnapshots }, principal, input) => contextSnapshots.get(principal, input),
  'contextSnapshots.compare': ({ contextSnapshots }, principal, input) => contextSnapshots.compare(principal, input),
  'contextSnapshots.restore': ({ contextSnapshots }, principal, input) => contextSnapshots.restore(principal, input),
  'contextSnapshots.delete': async ({ contextSnapshots }, principal, input) => ({
    success: await contextSnapshots.delete(principal, input),
  }),
};
