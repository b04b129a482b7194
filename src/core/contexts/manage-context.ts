/** What only the owner of a context does: change it, share it, archive it. */

import type {
  Context,
  ContextAgentInput,
  ContextRecord,
  ContextVersionInput,
  GrantContextInput,
  UpdateContextInput,
} from '../../domain/context.ts';
import { invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { assertMetadata, granted, membersOf, revoked, sharedShown, type AccessControl } from '../../domain/sharing.ts';
import type { Draft } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertVersion, isoAt, merged, orAbsent } from '../records/record.ts';
import { accessBesides } from './create-context.ts';
import { assertInUse, assertManages } from './open-context.ts';
import { visiting, type Visit } from './visit.ts';

export function updateContext(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, ifVersion, access, ...fields }: UpdateContextInput,
): Promise<Context> {
  assertMetadata(fields.metadata, dependencies.limits);
  return changed(dependencies, principal, { contextId, ifVersion }, { action: 'contexts.update' }, (current) => {
    assertInUse(current);
    const next = merged(current, fields);
    return access === undefined ? next : sharedAs(next, accessBesides(current.ownerId, access));
  });
}

export function archiveContext(
  dependencies: Dependencies,
  principal: Principal,
  input: ContextVersionInput,
  isArchived: boolean,
): Promise<Context> {
  const action = isArchived ? 'contexts.archive' : 'contexts.unarchive';
  return changed(dependencies, principal, input, { action }, (current, now) => {
    const { archivedAt, ...rest } = current;
    if (!isArchived) return { ...rest, status: 'active' };
    return { ...rest, status: 'archived', archivedAt: archivedAt ?? now };
  });
}

export function grantAccess(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, agentId, level }: GrantContextInput,
): Promise<Context> {
  return changed(dependencies, principal, { contextId }, { action: 'contexts.grant', entryKey: agentId }, (current) => {
    if (agentId === current.ownerId) throw invalidField('agentId', 'is the owner, who may do everything');
    return sharedAs(current, granted(current.access, agentId, level));
  });
}

export function revokeAccess(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, agentId }: ContextAgentInput,
): Promise<Context> {
  return changed(dependencies, principal, { contextId }, { action: 'contexts.revoke', entryKey: agentId }, (current) =>
    sharedAs(current, revoked(current.access, agentId)),
  );
}

function sharedAs(context: ContextRecord, access: AccessControl): ContextRecord {
  return { ...context, access, members: membersOf(access) };
}

/** Whether the principal may is asked again within the change: nothing comes in between. */
function changed(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, ifVersion }: ContextVersionInput,
  logged: Pick<Visit, 'action' | 'entryKey'>,
  change: (current: ContextRecord, now: string) => Draft<ContextRecord>,
): Promise<Context> {
  const { records, clock } = dependencies;
  return visiting(dependencies, principal, { contextId, need: 'manage', ...logged }, async () => {
    const record = await records.contexts.change(principal, contextId, (current) => {
      assertManages(principal, current);
      assertVersion(current, ifVersion);
      const now = isoAt(clock.now());
      return { ...change(current, now), updatedAt: now };
    });
    return sharedShown(principal, orAbsent('context', record));
  });
}
