/** Contexts: containers of entries. Access is decided here; the content of a context belongs to its owner. */

import type {
  CloneContextInput,
  CloneContextOutput,
  ContextBundle,
  ImportContextInput,
  ImportContextOutput,
} from '../../domain/context-bundle.ts';
import type {
  Context,
  ContextAccessibility,
  ContextAgentInput,
  ContextVersionInput,
  CreateContextInput,
  GrantContextInput,
  ListAccessesInput,
  ListAccessesOutput,
  ListContextsInput,
  ListContextsOutput,
  UpdateContextInput,
} from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { cloneContext } from './clone-context.ts';
import { accessibleBy, getContext, listAccesses, listContexts } from './context-views.ts';
import { createContext } from './create-context.ts';
import { deleteContext } from './delete-context.ts';
import { exportContext } from './export-context.ts';
import { importContext } from './import-context.ts';
import { archiveContext, grantAccess, revokeAccess, updateContext } from './manage-context.ts';

/**
 * A context that the principal may not read does not exist for it: `NOT_FOUND`, or null for a lookup. Managing one that it
 * may only read is `FORBIDDEN`.
 */
export interface Contexts {
  /** Throws `VERSION_CONFLICT` when the id is taken, also by a context that cannot be seen. */
  create(principal: Principal, input: CreateContextInput): Promise<Context>;
  get(principal: Principal, contextId: string): Promise<Context | null>;
  /** Those that the principal may read. */
  list(principal: Principal, input: ListContextsInput): Promise<ListContextsOutput>;
  /** Throws `VERSION_CONFLICT`. */
  update(principal: Principal, input: UpdateContextInput): Promise<Context>;
  /** With its entries, snapshots and log. False when it was not there. Throws `VERSION_CONFLICT`. */
  delete(principal: Principal, input: ContextVersionInput): Promise<boolean>;
  archive(principal: Principal, input: ContextVersionInput): Promise<Context>;
  unarchive(principal: Principal, input: ContextVersionInput): Promise<Context>;
  grant(principal: Principal, input: GrantContextInput): Promise<Context>;
  /** Holds from the next call on. */
  revoke(principal: Principal, input: ContextAgentInput): Promise<Context>;
  accessibleBy(principal: Principal, input: ContextAgentInput): Promise<ContextAccessibility>;
  accesses(principal: Principal, input: ListAccessesInput): Promise<ListAccessesOutput>;
  /** The copy is the principal's own. */
  clone(principal: Principal, input: CloneContextInput): Promise<CloneContextOutput>;
  export(principal: Principal, contextId: string): Promise<ContextBundle | null>;
  /** The same bundle can be imported again: by the id of the context and the keys of its entries it is the same. */
  import(principal: Principal, input: ImportContextInput): Promise<ImportContextOutput>;
}

export function createContexts(dependencies: Dependencies): Contexts {
  return {
    create: (principal, input) => createContext(dependencies, principal, input),
    get: (principal, contextId) => getContext(dependencies, principal, contextId),
    list: (principal, input) => listContexts(dependencies, principal, input),
    update: (principal, input) => updateContext(dependencies, principal, input),
    delete: (principal, input) => deleteContext(dependencies, principal, input),
    archive: (principal, input) => archiveContext(dependencies, principal, input, true),
    unarchive: (principal, input) => archiveContext(dependencies, principal, input, false),
    grant: (principal, input) => grantAccess(dependencies, principal, input),
    revoke: (principal, input) => revokeAccess(dependencies, principal, input),
    accessibleBy: (principal, input) => accessibleBy(dependencies, principal, input),
    accesses: (principal, input) => listAccesses(dependencies, principal, input),
    clone: (principal, input) => cloneContext(dependencies, principal, input),
    export: (principal, contextId) => exportContext(dependencies, principal, contextId),
    import: (principal, input) => importContext(dependencies, principal, input),
  };
}
