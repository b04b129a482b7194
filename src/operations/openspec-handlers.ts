/** What the operations of the OpenSpec protocol do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { openspecOperations } from './openspec-operations.ts';

export const openspecHandlers: Handlers<typeof openspecOperations> = {
  'openspec.discover': ({ openspec }) => openspec.discover(),
  'openspec.query': ({ openspec }, principal, input) => openspec.query(principal, input),
  'openspec.create': ({ openspec }, principal, input) => openspec.create(principal, input),
  'openspec.update': ({ openspec }, principal, input) => openspec.update(principal, input),
  'openspec.delete': async ({ openspec }, principal, input) => {
    const deleted = await openspec.delete(principal, input);
    return deleted ? { deleted, entryId: input.id } : null;
  },
  'openspec.batch': ({ openspec }, principal, input) => openspec.batch(principal, input),
  'openspec.stream': ({ openspec }, principal, input, signal) => openspec.stream(principal, input, signal),
  'openspec.metadata': ({ openspec }, principal, input) => openspec.metadata(principal, input),
};
