/** An item under other names, wherever it names somebody. Free text and free JSON stay as they are. */

import type { Collection } from '../../domain/archive.ts';
import type { BundleItem, BundleItems } from '../../domain/bundle-item.ts';
import { EDITED_BY_FIELD } from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { promotedName } from '../long-term/own-memories.ts';
import { remapState } from './remap-state.ts';
import type { Remapping } from './remapping.ts';

type Stored = BundleItems['entries']['entry'];

const REMAPPERS: { readonly [C in Collection]: (item: BundleItems[C], by: Remapping) => BundleItems[C] } = {
  users: (user, by) => ({ ...user, id: by.user(user.id) }),
  entries: (item, by) => ({ ...item, entry: entryBy(item.entry, by) }),
  versions: (item, by) => ({ ...item, memory: entryBy(item.memory, by) }),
  state: remapState,
  plans: (plan, by) => ({ ...plan, userId: by.user(plan.userId), ...by.optional('sessionId', plan) }),
  planContexts: (context, by) => ({ ...context, ...by.optional('sessionId', context) }),
  sessions: (session, by) => ({
    ...session,
    sessionId: by.identifier('sessionId', session.sessionId),
    userId: by.user(session.userId),
    ...by.optional('agentId', session),
  }),
  taskContexts: (task) => task,
  apiKeys: (key, by) => ({ ...key, userId: by.user(key.userId), ...by.optional('agentId', key) }),
  pools: sharedBy,
  contexts: sharedBy,
  contextSnapshots: (snapshot, by) => ({
    ...snapshot,
    ownerId: by.user(snapshot.ownerId),
    createdBy: by.actor(snapshot.createdBy),
  }),
  contextAccesses: accessBy,
  maintenanceRuns: (run) => run,
  facts: (fact, by) => {
    const { layer, identifiers } = by.place(fact);
    return { ...fact, layer, identifiers };
  },
  auditEntries: (entry, by) => ({ ...entry, actor: by.user(entry.actor) }),
};

/** Throws `VALIDATION_FAILED` where its layer cannot become the other. */
export function remapItem(collection: Collection, item: BundleItem, by: Remapping): BundleItem {
  const remap = REMAPPERS[collection] as (item: BundleItem, by: Remapping) => BundleItem;
  return remap(item, by);
}

function entryBy(entry: Stored, by: Remapping): Stored {
  const { ownerId, metadata, provenance } = entry;
  const editedBy = metadata[EDITED_BY_FIELD];
  return {
    ...entry,
    ...by.place(entry),
    ownerId: ownerId === null ? null : by.user(ownerId),
    metadata: typeof editedBy === 'string' ? { ...metadata, [EDITED_BY_FIELD]: by.actor(editedBy) } : metadata,
    ...(provenance?.promotedFrom !== undefined && promotedBy(entry, provenance, by)),
  };
}

/** What was short-term memory is known by its session and key. */
function promotedBy(
  { identifiers: { sessionId }, externalId }: Stored,
  provenance: NonNullable<Entry['provenance']>,
  by: Remapping,
): Partial<Stored> {
  const { promotedFrom = '' } = provenance;
  if (sessionId === undefined || !promotedFrom.startsWith(`${sessionId}/`)) return {};
  const [renamed, key] = [by.identifier('sessionId', sessionId), promotedFrom.slice(sessionId.length + 1)];
  return {
    provenance: { ...provenance, promotedFrom: `${renamed}/${key}` },
    ...(externalId === promotedName(sessionId, key) && { externalId: promotedName(renamed, key) }),
  };
}

type SharedItem = BundleItems['pools'] | BundleItems['contexts'];

/** A pool or a context. */
function sharedBy<T extends SharedItem>(item: T, by: Remapping): T {
  const { scope, scopeId } = item;
  const name = scope === 'agent' ? 'agentId' : scope === 'team' ? 'teamId' : undefined;
  return {
    ...item,
    ownerId: by.user(item.ownerId),
    ...by.optional('agentId', item),
    ...(name !== undefined && scopeId !== undefined && { scopeId: by.identifier(name, scopeId) }),
    access: by.access(item.access),
  };
}

function accessBy(item: BundleItems['contextAccesses'], by: Remapping): BundleItems['contextAccesses'] {
  const { action, entryKey } = item;
  const namesMember = action === 'contexts.grant' || action === 'contexts.revoke';
  return {
    ...item,
    ownerId: by.user(item.ownerId),
    actorId: by.user(item.actorId),
    ...by.optional('agentId', item),
    ...(namesMember && entryKey !== undefined && { entryKey: by.member(entryKey) }),
  };
}
