/** Contract: contexts as containers: made, found, shared, archived, logged and deleted. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { contextCopiesContract } from './contract-context-copies.ts';
import { contextEntriesContract } from './contract-context-entries.ts';
import { contextSharingContract } from './contract-context-sharing.ts';
import { contextSnapshotsContract } from './contract-context-snapshots.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const NOBODY = { read: [], write: [], publicRead: false };

export function contextsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('contexts', () => {
    const clock = new ManualClock();
    test(
      'are made, changed, archived, and deleted with all that they hold',
      async (subject) => {
        const { contexts, contextEntries, contextSnapshots } = subject.as(ALICE);
        const at = new Date(clock.now()).toISOString();
        const made = await contexts.create({ contextId: 'atlas', type: 'knowledge_base', name: 'Atlas' });
        const { version: first, ...fields } = made;
        assert.deepEqual(fields, {
          contextId: 'atlas',
          ownerId: 'alice',
          type: 'knowledge_base',
          scope: 'account',
          name: 'Atlas',
          metadata: {},
          access: NOBODY,
          status: 'active',
          createdAt: at,
          updatedAt: at,
        });
        await failure('VERSION_CONFLICT', contexts.create({ contextId: 'atlas', type: 'tool_cache' }));
        const renamed = await contexts.update({ contextId: 'atlas', name: 'A', metadata: { a: 1 }, ifVersion: first });
        assert.deepEqual([renamed.name, renamed.metadata, renamed.type], ['A', { a: 1 }, 'knowledge_base']);
        await failure('VERSION_CONFLICT', contexts.update({ contextId: 'atlas', name: 'B', ifVersion: first }));
        assert.deepEqual(await contexts.get({ contextId: 'atlas' }), renamed);

        const place = { contextId: 'atlas', key: 'k' };
        const { entry } = await contextEntries.put({ ...place, content: 'The pump is blue' });
        const { snapshotId } = await contextSnapshots.create({ contextId: 'atlas' });
        const archived = await contexts.archive({ contextId: 'atlas' });
        assert.deepEqual([archived.status, archived.archivedAt], ['archived', at]);
        clock.advance(1000);
        assert.equal((await contexts.archive({ contextId: 'atlas' })).archivedAt, at);
        assert.equal((await contextEntries.get(place))?.content, 'The pump is blue');
        const refused = [
          () => contextEntries.put({ ...place, content: 'The pump is red' }),
          () => contextEntries.delete(place),
          () => contextEntries.boost(place),
          () => contextEntries.archive(place),
          () => contextSnapshots.create({ contextId: 'atlas' }),
          () => contextSnapshots.restore({ contextId: 'atlas', snapshotId }),
          () => contexts.update({ contextId: 'atlas', name: 'C' }),
        ];
        for (const call of refused) await failure('FORBIDDEN', call());
        assert.equal((await contextEntries.get(place))?.version, 1);
        const back = await contexts.unarchive({ contextId: 'atlas' });
        assert.deepEqual([back.status, back.archivedAt, back.name], ['active', undefined, 'A']);

        await failure('VERSION_CONFLICT', contexts.delete({ contextId: 'atlas', ifVersion: first }));
        assert.deepEqual(await contexts.delete({ contextId: 'atlas', ifVersion: back.version }), { success: true });
        assert.deepEqual(await contexts.delete({ contextId: 'atlas' }), { success: false });
        assert.equal(await contexts.get({ contextId: 'atlas' }), null);
        assert.equal(await contextEntries.get(place), null);
        await failure('NOT_FOUND', contextEntries.list({ contextId: 'atlas' }));
        // What is made anew under the same name begins empty.
        await contexts.create({ contextId: 'atlas', type: 'knowledge_base' });
        assert.equal((await contextEntries.list({ contextId: 'atlas', status: 'all' })).count, 0);
        assert.equal((await contextSnapshots.list({ contextId: 'atlas' })).count, 0);
        const { accesses } = await contexts.accesses({ contextId: 'atlas' });
        assert.deepEqual(
          accesses.map(({ action }) => action),
          ['contextSnapshots.list', 'contextEntries.list', 'contexts.create'],
        );
        assert.notEqual(
          (await contextEntries.put({ ...place, content: 'The pump is blue' })).entry.entryId,
          entry.entryId,
        );
      },
      { clock },
    );

    const ticking = new ManualClock();
    test(
      'are listed page by page, archived ones where asked for, an agent’s for that agent and its user',
      async (subject) => {
        const alice = subject.as(ALICE);
        const planner = subject.as({ ...ALICE, agentId: 'planner' });
        const coder = subject.as({ ...ALICE, agentId: 'coder' });
        const make = async (memory: Memory, contextId: string, more: object = {}): Promise<void> => {
          ticking.advance(1000);
          await memory.contexts.create({ contextId, type: 'shared_context', ...more });
        };
        await make(alice, 'a');
        await make(planner, 'b');
        await make(alice, 'c', { agentId: 'coder', type: 'agent_memory' });
        await make(alice, 'd', { scope: 'team', scopeId: 't', access: { read: ['planner'] } });
        await make(alice, 'e');
        await alice.contexts.archive({ contextId: 'e' });
        const ids = async (memory: Memory, input: Parameters<Memory['contexts']['list']>[0] = {}): Promise<string> =>
          (await memory.contexts.list(input)).contexts.map(({ contextId }) => contextId).join('');
        assert.equal(await ids(alice), 'dcba');
        assert.equal(await ids(planner), 'db');
        assert.equal(await ids(coder), 'c');
        assert.equal(await ids(subject.as({ userId: 'bob' })), '');
        assert.equal(await ids(alice, { status: 'archived' }), 'e');
        assert.equal(await ids(alice, { status: 'all', limit: 4 }), 'edcb');
        assert.equal(await ids(alice, { type: 'agent_memory' }), 'c');
        assert.equal(await ids(alice, { scope: 'team', scopeId: 't' }), 'd');
        const { contexts: page, nextCursor: cursor } = await planner.contexts.list({ limit: 1 });
        assert.equal(page[0]?.contextId, 'd');
        assert.ok(cursor !== null);
        assert.equal(await ids(planner, { limit: 1, cursor }), 'b');
        assert.deepEqual(
          [(await planner.contexts.get({ contextId: 'b' }))?.scopeId, await coder.contexts.get({ contextId: 'b' })],
          ['planner', null],
        );
        await failure('FORBIDDEN', planner.contexts.create({ type: 'agent_memory', agentId: 'coder' }));
        await failure('VALIDATION_FAILED', planner.contexts.create({ type: 'agent_memory', scopeId: 'coder' }));
        await failure('VERSION_CONFLICT', coder.contexts.create({ contextId: 'b', type: 'agent_memory' }));
      },
      { clock: ticking },
    );

    test('write down every read and write, by whomever, for the owner to see', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob', agentId: 'reader' })];
      await alice.contexts.create({ contextId: 'log', type: 'shared_context', access: { read: ['bob'] } });
      const place = { contextId: 'log', key: 'k' };
      await alice.contextEntries.put({ ...place, content: 'A heron stands in the pond' });
      await bob.contextEntries.get(place);
      await bob.contextEntries.search({ contextId: 'log', query: 'heron' });
      await failure('FORBIDDEN', bob.contextEntries.put({ ...place, content: 'Mine' }));
      await failure('FORBIDDEN', bob.contexts.accesses({ contextId: 'log' }));
      assert.equal(await subject.as({ userId: 'carol' }).contextEntries.get(place), null);
      const { accesses, count, nextCursor } = await alice.contexts.accesses({ contextId: 'log' });
      assert.deepEqual(
        accesses.map(({ actorId, agentId, action, entryKey }) => [actorId, agentId, action, entryKey]),
        [
          ['bob', 'reader', 'contextEntries.search', undefined],
          ['bob', 'reader', 'contextEntries.get', 'k'],
          ['alice', undefined, 'contextEntries.put', 'k'],
          ['alice', undefined, 'contexts.create', undefined],
        ],
      );
      assert.deepEqual([count, nextCursor], [4, null]);
      await alice.contexts.grant({ contextId: 'log', agentId: 'carol', level: 'read' });
      await alice.contexts.revoke({ contextId: 'log', agentId: 'carol' });
      const named = (await alice.contexts.accesses({ contextId: 'log', limit: 2 })).accesses;
      assert.deepEqual(
        named.map(({ action, entryKey }) => [action, entryKey]),
        [
          ['contexts.revoke', 'carol'],
          ['contexts.grant', 'carol'],
        ],
      );
      const paged = await alice.contexts.accesses({ contextId: 'log', limit: 3 });
      assert.ok(paged.nextCursor !== null);
      const rest = await alice.contexts.accesses({ contextId: 'log', limit: 3, cursor: paged.nextCursor });
      assert.deepEqual([...paged.accesses, ...rest.accesses], [...named, ...accesses]);
    });

    test('go with their owner, and with nobody else', async (subject) => {
      const admin = subject.as({ userId: 'root', roles: ['admin'] });
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const access = { write: ['bob'] };
      await alice.contexts.create({ contextId: 'hers', type: 'shared_context', access });
      await bob.contexts.create({ contextId: 'his', type: 'shared_context', access: { read: ['alice'] } });
      await bob.contextEntries.put({ contextId: 'hers', key: 'k', content: 'Bob wrote this for Alice' });
      await bob.contextEntries.put({ contextId: 'his', key: 'k', content: 'Bob wrote this for himself' });
      await bob.contextSnapshots.create({ contextId: 'hers' });
      await admin.admin.eraseUser({ userId: 'alice' });
      assert.equal(await bob.contexts.get({ contextId: 'hers' }), null);
      assert.equal(await bob.contextEntries.get({ contextId: 'hers', key: 'k' }), null);
      assert.equal((await bob.contextEntries.list({ contextId: 'his' })).count, 1);
      assert.equal((await bob.contexts.list({})).count, 1);
    });
  });
  contextSharingContract(runner, open);
  contextEntriesContract(runner, open);
  contextSnapshotsContract(runner, open);
  contextCopiesContract(runner, open);
}
