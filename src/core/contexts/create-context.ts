/** Making a context, which is its maker's. */

import type { Context, ContextRecord, CreateContextInput } from '../../domain/context.ts';
import { invalidField, LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  accessOf,
  assertMetadata,
  membersOf,
  sharedShown,
  type AccessControl,
  type AccessInput,
} from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt, taken } from '../records/record.ts';
import { openedBy } from './open-context.ts';
import { logAccess } from './visit.ts';

export async function createContext(
  dependencies: Dependencies,
  principal: Principal,
  input: CreateContextInput,
): Promise<Context> {
  const contextId = input.contextId ?? dependencies.ids.next();
  const record = await makeContext(dependencies, principal, { ...input, contextId });
  if (record === null) throw taken('context', contextId);
  await logAccess(dependencies, principal, openedBy(principal, record), { action: 'contexts.create' });
  return sharedShown(principal, record);
}

/** Null when the id is taken. Not in the log yet: whoever asked for it knows what for. */
export async function makeContext(
  dependencies: Dependencies,
  principal: Principal,
  input: CreateContextInput & { readonly contextId: string },
): Promise<ContextRecord | null> {
  const { records, clock, limits } = dependencies;
  const { metadata = {}, access: given = {}, agentId: _agentId, scope: _scope, scopeId: _scopeId, ...fields } = input;
  assertMetadata(metadata, limits);
  const ownerId = principal.userId;
  const agentId = agentOf(principal, input.agentId);
  const access = accessBesides(ownerId, given);
  const now = isoAt(clock.now());
  return records.contexts.create(principal, {
    ...fields,
    ownerId,
    ...(agentId !== undefined && { agentId }),
    ...scopeFor(principal, input, agentId),
    metadata,
    access,
    members: membersOf(access),
    status: 'active',
    createdAt: now,
    updatedAt: now,
  });
}

/** An agent makes contexts of its own; a user without one for any of its agents, or for itself. */
function agentOf({ agentId: own }: Principal, named: string | undefined): string | undefined {
  if (own !== undefined && named !== undefined && named !== own) {
    throw new LaminaError('FORBIDDEN', `Agent "${own}" may not make a context of another agent.`);
  }
  return named ?? own;
}

function scopeFor(
  { agentId: own }: Principal,
  { scope: given, scopeId }: CreateContextInput,
  agentId: string | undefined,
): Pick<Context, 'scope' | 'scopeId'> {
  const scope = given ?? (agentId === undefined ? 'account' : 'agent');
  if (scope === 'account' || scope === 'global') {
    if (scopeId !== undefined) throw invalidField('scopeId', `does not go with scope ${scope}, which is the tenant`);
    return { scope };
  }
  const id = scopeId ?? (scope === 'agent' ? agentId : undefined);
  if (id === undefined) throw invalidField('scopeId', `is missing: which ${scope}?`);
  if (scope === 'agent' && own !== undefined && id !== own)
    throw invalidField('scopeId', 'is not the agent that is asking');
  return { scope, scopeId: id };
}

/** The lists as they were given. The owner is in no list: that would say nothing. */
export function accessBesides(ownerId: string, given: AccessInput): AccessControl {
  const access = accessOf(given);
  if ([...access.read, ...access.write].includes(ownerId)) {
    throw invalidField('access', 'names the owner, who may do everything; name others, or agents of the owner');
  }
  return access;
}
