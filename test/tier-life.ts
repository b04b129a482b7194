/** What a user leaves in pools, contexts and state of every kind, as an engine stores it. */

import {
  agentNamespace,
  inboxNamespace,
  persistedNamespace,
  poolNamespace,
  sessionNamespace,
} from '../src/domain/namespace.ts';
import type { Principal } from '../src/domain/principal.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import { entryOf, writeOf } from '../src/testing/entry-write.ts';
import { accessDraft, contextDraft, poolDraft, runDraft, snapshotDraft } from '../src/testing/record-drafts.ts';

const stateOf = (value: string): StateWrite => ({ mutation: { type: 'set', value }, maxBytes: 1000 });

/** The kinds of namespaces that are a user's own. */
export function ownNamespaces(userId: string): string[] {
  return [
    agentNamespace(userId, 'helper', 'task'),
    persistedNamespace(userId, 'helper', 'task'),
    inboxNamespace(userId, ''),
    sessionNamespace(userId, 'helper', 'session'),
  ];
}

/** For nobody else to see. Everything holds the mark. */
export async function liveInTiers({ records, state }: Engine, user: Principal, mark: string): Promise<void> {
  const own = { ownerId: user.userId, metadata: { mark } };
  await records.pools.create(user, poolDraft(`${mark}-pool`, own));
  await state.write(user, poolNamespace(`${mark}-pool`), mark, stateOf(mark));
  await records.contexts.create(user, contextDraft(`${mark}-context`, own));
  const within = { contextId: `${mark}-context`, ownerId: user.userId };
  const snapshot = snapshotDraft(`${mark}-snapshot`, { ...within, createdBy: user.userId, name: mark });
  await records.contextSnapshots.create(user, snapshot);
  const access = accessDraft(`${mark}-access`, { ...within, actorId: user.userId, entryKey: mark });
  await records.contextAccesses.create(user, access);
  for (const namespace of ownNamespaces(user.userId)) await state.write(user, namespace, 'k', stateOf(mark));
  await records.maintenanceRuns.create(user, runDraft(crypto.randomUUID(), { error: mark }));
}

/** What somebody has made, on whose lists, in whose log and in whose inbox a guest is. */
export async function liveAsHost(engine: Engine, host: Principal, guest: string): Promise<void> {
  const { records, state, entries } = engine;
  const { userId } = host;
  const access = { read: [guest], write: ['x', guest], publicRead: false };
  await records.pools.create(host, poolDraft(`${userId}-lends`, { ownerId: userId, access }));
  await state.write(host, poolNamespace(`${userId}-lends`), 'lent', stateOf(`${userId} lends this`));
  await records.contexts.create(host, contextDraft(`${userId}-lends`, { ownerId: userId, access }));
  const within = { contextId: `${userId}-lends`, ownerId: userId };
  await records.contextSnapshots.create(host, snapshotDraft(`${userId}-visit`, { ...within, createdBy: guest }));
  await records.contextAccesses.create(host, accessDraft(`${userId}-visit`, { ...within, actorId: guest }));
  const edited = entryOf({
    content: 'edited',
    layer: 'user',
    identifiers: { userId, contextId: `${userId}-lends` },
    ownerId: userId,
    visibility: 'private',
    metadata: { 'context.editedBy': `${guest}/helper` },
  });
  await entries.transaction(host, async (tx) => tx.insert([await writeOf(edited)]));
  const sender = { ...host, userId: guest };
  const key = JSON.stringify([guest, '', 'note']);
  await state.write(sender, inboxNamespace(userId, ''), key, stateOf(`for ${userId}`));
}
