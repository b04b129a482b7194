/** Engine contract: of a user who is erased nothing is left in pools, contexts and state, nor the name in those of others. */

import assert from 'node:assert/strict';
import { NOTHING_COUNTED, type ErasureCounts } from '../domain/erasure.ts';
import {
  agentNamespace,
  inboxNamespace,
  persistedNamespace,
  poolNamespace,
  sessionNamespace,
  workingNamespace,
} from '../domain/namespace.ts';
import type { Principal } from '../domain/principal.ts';
import type { Engine } from '../ports/engine.ts';
import type { ErasedUser, ErasureWork } from '../ports/erasure.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { entryOf, nextVersion, writeOf } from './entry-write.ts';
import { accessDraft, contextDraft, poolDraft, runDraft, snapshotDraft } from './record-drafts.ts';

/** With what a pattern or a careless comparison might trip over; the others are named much alike. */
const GONE = 'u_1%';
const STAYS = ['u', 'ux1y', 'u_1%2'] as const;
const PSEUDONYM = 'somebody';

const user: ErasedUser = { userId: GONE, pseudonym: PSEUDONYM, namespaceOfPlan: workingNamespace };

const work: ErasureWork = {
  forget: () => {},
  entryOf: () => ({
    id: '018f0000-0000-7000-8000-00000000ffff',
    action: 'users.erase',
    actor: 'root',
    at: '2026-03-04T08:00:00.000Z',
  }),
};

/** A context's entry of this owner, last edited by that user. */
const contextEntry = (ownerId: string, editor: string) =>
  entryOf({
    content: `edited by somebody, of ${ownerId}`,
    layer: 'user',
    identifiers: { userId: ownerId, contextId: `context of ${ownerId}` },
    ownerId,
    visibility: 'private',
    externalId: 'key',
    metadata: { 'context.editedBy': editor, other: 'field' },
  });

/** Something of everything, of one user, of which each thing is counted once. */
async function live({ state, records, entries }: Engine, userId: string): Promise<void> {
  const principal = userOf(userId);
  const value = { mutation: { type: 'set', value: 'x' }, maxBytes: 100 } as const;
  await records.pools.create(principal, poolDraft(`pool of ${userId}`, { ownerId: userId }));
  const namespaces = [
    agentNamespace(userId, 'a', 't'),
    persistedNamespace(userId, 'a', 't'),
    inboxNamespace(userId, ''),
    sessionNamespace(userId, 'a', 's'),
    poolNamespace(`pool of ${userId}`),
  ];
  for (const namespace of namespaces) await state.write(principal, namespace, 'k', value);
  const contextId = `context of ${userId}`;
  await records.contexts.create(principal, contextDraft(contextId, { ownerId: userId }));
  const own = { contextId, ownerId: userId };
  await records.contextSnapshots.create(principal, snapshotDraft(`s ${userId}`, { ...own, createdBy: userId }));
  await records.contextAccesses.create(principal, accessDraft(`a ${userId}`, { ...own, actorId: userId }));
  await entries.transaction(principal, async (tx) => tx.insert([await writeOf(contextEntry(userId, userId))]));
}

const LIFE: Partial<ErasureCounts> = {
  entries: 1,
  embeddings: 1,
  // Of the entry and of the value in the pool.
  events: 2,
  state: 5,
  pools: 1,
  contexts: 1,
  contextSnapshots: 1,
  contextAccesses: 1,
  users: 1,
};

/** What a user has left with another: each of them is a mention, but for what lies in the inbox. */
async function visit({ state, records, entries }: Engine, owner: Principal, guest: string): Promise<void> {
  const { userId } = owner;
  const access = { read: ['x', guest], write: [guest], publicRead: false };
  await records.pools.create(owner, poolDraft(`shared by ${userId}`, { ownerId: userId, access }));
  await records.contexts.create(owner, contextDraft(`shared by ${userId}`, { ownerId: userId, access }));
  const theirs = { contextId: `shared by ${userId}`, ownerId: userId };
  await records.contextSnapshots.create(owner, snapshotDraft(`visit ${userId}`, { ...theirs, createdBy: guest }));
  await records.contextAccesses.create(
    owner,
    accessDraft(`visit ${userId}`, { ...theirs, actorId: guest, agentId: 'a' }),
  );
  const entry = contextEntry(userId, `${guest}/helper`);
  const edited = nextVersion({ ...entry, externalId: 'visit' }, { metadata: { 'context.editedBy': guest } });
  await entries.transaction(owner, async (tx) => {
    await tx.insert([await writeOf({ ...entry, externalId: 'visit' })]);
    await tx.replace([await writeOf(edited)]);
  });
  const value = { mutation: { type: 'set', value: 'x' }, maxBytes: 100 } as const;
  await state.write(owner, inboxNamespace(userId, 'a'), JSON.stringify([guest, '', 'k']), value);
}

const MENTIONS = 6;

export function engineErasure(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('erasure', () => {
    test('of a user takes pools, contexts and state, and leaves those of others', async ({ engine }) => {
      const { erasure, records, state } = engine;
      for (const userId of [GONE, ...STAYS]) await live(engine, userId);
      const before = await Promise.all(STAYS.map((userId) => erasure.countUser(TENANT, { ...user, userId })));
      const expected = { ...NOTHING_COUNTED, ...LIFE };
      assert.deepEqual(await erasure.countUser(TENANT, user), expected);
      let told = NOTHING_COUNTED;
      const entryOfCounts = (counts: ErasureCounts) => {
        told = counts;
        return work.entryOf(counts);
      };
      await erasure.eraseUser(TENANT, user, { ...work, entryOf: entryOfCounts });
      assert.deepEqual(told, expected);
      assert.deepEqual(await erasure.countUser(TENANT, user), NOTHING_COUNTED);
      assert.equal(await records.pools.get(userOf(GONE), `pool of ${GONE}`), null);
      assert.equal(await state.get(userOf(GONE), poolNamespace(`pool of ${GONE}`), 'k'), null);
      const after = await Promise.all(STAYS.map((userId) => erasure.countUser(TENANT, { ...user, userId })));
      assert.deepEqual(after, before);
      // Whoever gets the name of the pool next gets nothing with it.
      await records.pools.create(TENANT, poolDraft(`pool of ${GONE}`));
      assert.deepEqual((await engine.events.readPool(TENANT, `pool of ${GONE}`, undefined, 10)).items, []);
    });

    test('strikes the user out of what others keep', async ({ engine }) => {
      const { erasure, records, entries, state } = engine;
      await visit(engine, TENANT, GONE);
      await visit(engine, userOf('u2'), 'u_1%2');
      const { mentions, state: sent } = await erasure.countUser(TENANT, user);
      assert.deepEqual([mentions, sent], [MENTIONS, 1]);
      await erasure.eraseUser(TENANT, user, work);
      assert.deepEqual(await erasure.countUser(TENANT, user), NOTHING_COUNTED);
      const access = { read: ['x'], write: [], publicRead: false };
      for (const record of [
        await records.pools.get(TENANT, 'shared by u'),
        await records.contexts.get(TENANT, 'shared by u'),
      ]) {
        assert.deepEqual([record?.access, record?.members], [access, ['x']]);
        assert.equal(await records.pools.get(userOf(GONE), 'shared by u'), null);
      }
      assert.equal((await records.contextSnapshots.get(TENANT, 'visit u'))?.createdBy, PSEUDONYM);
      const came = await records.contextAccesses.get(TENANT, 'visit u');
      assert.deepEqual([came?.actorId, came?.agentId], [PSEUDONYM, undefined]);
      const [entry] = await entries.list(TENANT, { ownerId: 'u' }, 10);
      assert.deepEqual(entry?.metadata, { 'context.editedBy': PSEUDONYM });
      const [past] = await entries.history(TENANT, entry?.id ?? '');
      assert.deepEqual(past?.memory.metadata, { 'context.editedBy': PSEUDONYM, other: 'field' });
      assert.deepEqual(await state.list(TENANT, inboxNamespace('u', 'a'), 10), []);
      // Who is named alike is somebody else.
      assert.equal((await state.list(userOf('u2'), inboxNamespace('u2', 'a'), 10)).length, 1);
      assert.ok(await records.pools.get(userOf('u_1%2'), 'shared by u2'));
    });

    test('strikes what maintenance did to entries that go, and nothing else', async ({ engine }) => {
      const { erasure, records, entries } = engine;
      const [gone, stays] = [contextEntry(GONE, GONE), contextEntry('u', 'u')];
      for (const entry of [gone, stays]) {
        const owner = userOf(entry.ownerId ?? '');
        await entries.transaction(owner, async (tx) => tx.insert([await writeOf(entry)]));
      }
      const runId = '018f0000-0000-7000-8000-000000000001';
      const kept = [{ action: 'archived', entryId: stays.id, toVersion: 2 }, { action: 'removed' }];
      const changes = [{ action: 'merged', entryId: gone.id, detail: `into ${gone.id}` }, ...kept];
      await records.maintenanceRuns.create(TENANT, runDraft(runId, { changes }));
      assert.equal((await erasure.countUser(TENANT, user)).mentions, 1);
      await erasure.eraseUser(TENANT, user, work);
      assert.deepEqual((await records.maintenanceRuns.get(TENANT, runId))?.changes, kept);
    });

    test('of a tenant counts everything and leaves nothing', async ({ engine }) => {
      const { erasure, records } = engine;
      await live(engine, 'u');
      await records.maintenanceRuns.create(TENANT, runDraft('018f0000-0000-7000-8000-000000000001'));
      const counts = await erasure.countTenant(TENANT);
      assert.deepEqual(counts, { ...NOTHING_COUNTED, ...LIFE, maintenanceRuns: 1 });
      await erasure.eraseTenant(TENANT, work);
      assert.deepEqual(await erasure.countTenant(TENANT), NOTHING_COUNTED);
    });
  });
}
