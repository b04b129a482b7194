/** What each operation does, in terms of the core. */

import type { z } from 'zod';
import type { Core } from '../core/core.ts';
import type { Principal } from '../domain/principal.ts';
import type { OPERATIONS, OperationName, OperationOutput } from './table.ts';

type Handler<Name extends OperationName> = (
  core: Core,
  principal: Principal,
  input: z.output<(typeof OPERATIONS)[Name]['input']>,
) => Promise<OperationOutput<Name>>;

export const HANDLERS: { readonly [Name in OperationName]: Handler<Name> } = {
  add: (core, principal, input) => core.add(principal, input),
  addMany: async (core, principal, input) => ({ results: await core.addMany(principal, input.memories) }),
  search: (core, principal, input) => core.search(principal, input),
  list: (core, principal, input) => core.list(principal, input),
  get: async (core, principal, input) => ({ memory: await core.get(principal, input) }),
  update: (core, principal, input) => core.update(principal, input),
  delete: async (core, principal, input) => ({ success: await core.delete(principal, input.id) }),
  forget: async (core, principal, input) => ({ deletedCount: await core.forget(principal, input) }),
  versions: async (core, principal, input) => ({ versions: await core.versions(principal, input.id) }),
};
