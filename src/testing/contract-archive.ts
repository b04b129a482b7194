/** Contract: what is archived is out of the way, not lost, and comes back as it was. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob' };
const HERON = 'The heron is a bird of the pond';
const OWL = 'The owl is a bird of the oak';
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

async function assertOutOfTheWay(memory: Memory): Promise<void> {
  for (const mode of MODES) assert.deepEqual(await recalled(memory, { query: HERON, mode }), [OWL], mode);
  assert.deepEqual(await listed(memory, { layer: 'user' }), [OWL]);
  assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
}

export function archiveContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('archiving', () => {
    test('takes a memory out of searches and lists until it is restored, and loses nothing', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add(user(OWL));
      const added = (await memory.add({ ...user(HERON), tags: ['bird'], metadata: { a: 1 } })).memory;
      const { id } = added;
      const { memory: archived } = await memory.archive({ id, expectedVersion: 1 });
      assert.deepEqual([archived.status, archived.version, archived.previousVersion], ['archived', 2, 1]);
      await assertOutOfTheWay(memory);
      assert.equal((await memory.get({ id })).memory?.status, 'archived');
      for (const mode of MODES) {
        assertSameMembers(await recalled(memory, { query: HERON, mode, includeArchived: true }), [HERON, OWL], mode);
      }
      assert.deepEqual(await listed(memory, { layer: 'user', status: 'archived' }), [HERON]);
      assertSameMembers(await listed(memory, { layer: 'user', status: 'all' }), [HERON, OWL]);

      assert.deepEqual((await memory.archive({ id })).memory.version, 2, 'once is enough');
      await memory.update({ id, tags: ['bird', 'wader'] });
      await assertOutOfTheWay(memory);
      const { memory: restored } = await memory.restore({ id });
      assert.deepEqual([restored.status, restored.version, restored.metadata], ['active', 4, { a: 1 }]);
      assert.equal((await memory.restore({ id })).memory.version, 4);
      for (const mode of MODES) {
        assertSameMembers(await recalled(memory, { query: HERON, mode }), [HERON, OWL], mode);
      }
      assert.deepEqual(await listed(memory, { layer: 'user', status: 'archived' }), []);
      const { versions } = await memory.versions({ id });
      assert.deepEqual(
        versions.map((version) => version.memory.status),
        ['active', 'archived', 'archived', 'active'],
      );
    });

    test('is for those who may change it, in the version that they know', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
      const own = (await alice.add(user(HERON))).memory;
      const shared = await alice.semantic.store({ content: OWL, userId: 'alice', public: true });
      await failure('MEMORY_NOT_FOUND', bob.archive({ id: own.id }));
      await failure('FORBIDDEN', bob.archive({ id: shared.id }));
      await failure('VERSION_CONFLICT', alice.archive({ id: own.id, expectedVersion: 7 }));
      await failure('MEMORY_NOT_FOUND', alice.restore({ id: '11111111-1111-4111-8111-111111111111' }));
      assert.deepEqual((await alice.get({ id: own.id })).memory?.status, 'active');
      await alice.archive({ id: own.id });
      assert.deepEqual(await bob.get({ id: own.id }), { memory: null });
      assert.deepEqual(
        await recalled(bob, { query: HERON, includeArchived: true, identifiers: { userId: 'alice' } }),
        [],
      );
    });

    test('ends when the same is said again, in whichever way and place', async (subject) => {
      const memory = subject.as(ALICE);
      const first = (await memory.add(user(HERON))).memory;
      await memory.archive({ id: first.id });
      const again = await memory.add(user(HERON));
      assert.deepEqual([again.status, again.memory.id, again.memory.status], ['updated', first.id, 'active']);
      assert.equal(again.embeddingGenerated, false);

      const named = (await memory.add({ ...user(OWL), externalId: 'owl' })).memory;
      await memory.archive({ id: named.id });
      const [renamed] = await memory.addMany([{ ...user('The owl left the oak'), externalId: 'owl' }]);
      assert.deepEqual([renamed?.status, renamed?.memory.id, renamed?.memory.status], ['updated', named.id, 'active']);

      const secret = await memory.semantic.store({ content: 'The fox barks', userId: 'alice', externalId: 'fox' });
      await memory.archive({ id: secret.id });
      const told = await memory.semantic.upsert({
        content: 'The fox barks',
        userId: 'alice',
        externalId: 'fox',
        public: true,
      });
      assert.deepEqual([told.status, told.id, told.memory.status], ['updated', secret.id, 'active']);
      const { results } = await subject.as(BOB).semantic.search({ query: 'The fox barks', threshold: 0 });
      assert.deepEqual(
        results.map(({ id }) => id),
        [secret.id],
      );
    });

    test('keeps nothing from being forgotten, and hides episodes and procedures too', async (subject) => {
      const memory = subject.as({ ...ALICE, agentId: 'a1' });
      const heron = (await memory.add(user(HERON))).memory;
      const said = await memory.episodic.log({ content: 'Hello there', role: 'user' });
      const rule = await memory.procedural.add({
        content: 'Greet back',
        triggerCondition: 'somebody says hello',
        procedureType: 'system_prompt',
      });
      for (const { id } of [heron, said, rule]) await memory.archive({ id });
      assert.equal((await memory.episodic.recent({})).count, 0);
      assert.equal((await memory.episodic.search({ query: 'Hello there', threshold: 0 })).count, 0);
      assert.equal((await memory.procedural.list({})).count, 0);
      assert.deepEqual(await memory.delete({ id: said.id }), { success: true });
      assert.deepEqual(await memory.forget({ layer: 'user' }), { deletedCount: 1 });
      assert.deepEqual(await memory.forget({ layer: 'agent' }), { deletedCount: 1 });
      for (const { id } of [heron, said, rule]) assert.deepEqual(await memory.get({ id }), { memory: null });
      assert.deepEqual(await recalled(memory, { query: HERON, includeArchived: true }), []);
      assert.equal((await memory.add(user(HERON))).status, 'created');
    });
  });
}
