/** What the operations on entries do, in terms of the core. */

import type { entryOperations } from './entry-operations.ts';
import type { Handlers } from './handler.ts';

export const entryHandlers: Handlers<typeof entryOperations> = {
  add: (core, principal, input) => core.add(principal, input),
  addMany: async (core, principal, input) => ({ results: await core.addMany(principal, input.memories) }),
  search: (core, principal, input) => core.search(principal, input),
  list: (core, principal, input) => core.list(principal, input),
  get: async (core, principal, input) => ({ memory: await core.get(principal, input) }),
  update: (core, principal, input) => core.update(principal, input),
  archive: async (core, principal, input) => ({ memory: await core.archive(principal, input) }),
  restore: async (core, principal, input) => ({ memory: await core.restore(principal, input) }),
  promote: (core, principal, input) => core.promote(principal, input),
  delete: async (core, principal, input) => ({ success: await core.delete(principal, input) }),
  forget: async (core, principal, input) => ({ deletedCount: await core.forget(principal, input) }),
  versions: async (core, principal, input) => ({ versions: await core.versions(principal, input) }),
};
