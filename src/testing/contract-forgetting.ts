/** Contract: deleting and forgetting leave nothing to find, and reach nothing else. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

/** Nobody can find it, by any way that there is. */
async function assertGone(memory: Memory, id: string, content: string): Promise<void> {
  assert.deepEqual(await memory.get({ id }), { memory: null });
  await failure('MEMORY_NOT_FOUND', memory.versions({ id }));
  await failure('MEMORY_NOT_FOUND', memory.update({ id, content: 'Back again' }));
  assert.deepEqual(await memory.delete({ id }), { success: false });
  assert.deepEqual(await memory.forget({ ids: [id] }), { deletedCount: 0 });
  for (const mode of MODES) {
    assert.ok(!(await recalled(memory, { query: content, mode })).includes(content), mode);
  }
  assert.ok(!(await listed(memory, { layer: 'user' })).includes(content));
}

export function forgettingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('deleting', () => {
    test('leaves nothing behind, and what comes again is new', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add(user('The heron stands in the pond'));
      const first = (await memory.add({ ...user('The heron flew south'), externalId: 'h', metadata: { a: 1 } })).memory;
      await memory.update({ id: first.id, content: 'The heron flew north' });
      await memory.get({ id: first.id });
      assert.deepEqual(await memory.delete({ id: first.id }), { success: true });
      await assertGone(memory, first.id, 'The heron flew north');
      await assertGone(memory, first.id, 'The heron flew south');
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
      const again = await memory.add({ ...user('The heron flew north'), externalId: 'h' });
      assert.equal(again.status, 'created');
      assert.notEqual(again.memory.id, first.id);
      assert.deepEqual([again.memory.version, again.memory.metadata, again.memory.accessCount], [1, {}, 0]);
      assert.equal((await memory.versions({ id: again.memory.id })).versions.length, 1);
    });

    test('drops cached vectors with their texts', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add(user('The heron flew south'))).memory;
      await memory.update({ id, content: 'The heron flew north' });
      await memory.delete({ id });
      const { texts } = subject.embedder;
      await memory.addMany([user('The heron flew south'), user('The heron flew north')]);
      assert.equal(subject.embedder.texts, texts + 2);
    });

    test('frees the id that a caller brought', async (subject) => {
      const memory = subject.as(ALICE);
      const id = '11111111-1111-4111-8111-111111111111';
      await memory.add({ ...user('First life'), id });
      await memory.delete({ id });
      const second = await memory.add({ ...user('Second life'), id });
      assert.deepEqual([second.status, second.memory.version], ['created', 1]);
    });

    test('does not disturb the scores of what stays', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(['The owl hoots', 'The fox barks', 'The wolf howls'].map(user));
      const scores = async (): Promise<unknown> =>
        (await memory.search({ query: 'owl and fox', mode: 'keyword', threshold: 0 })).results.map(
          ({ signals }) => signals.text,
        );
      const before = await scores();
      const passing = await memory.addMany(
        Array.from({ length: 20 }, (_, n) => user(`The fox and the owl, part ${n}`)),
      );
      assert.notDeepEqual(await scores(), before);
      for (const one of passing.slice(0, 10)) await memory.delete({ id: one.memory.id });
      await memory.forget({ ids: passing.slice(10).map((one) => one.memory.id) });
      assert.deepEqual(await scores(), before);
    });
  });

  runner.describe('forgetting', () => {
    test('needs a condition', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add(user('Still here'));
      for (const nothing of [{}, { layer: undefined }, { filter: {} }, { filter: { custom: {} } }]) {
        await failure('VALIDATION_FAILED', memory.forget(nothing));
      }
      await failure('VALIDATION_FAILED', memory.forget({ ids: [] }));
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['Still here']);
    });

    test('by ids takes these', async (subject) => {
      const memory = subject.as(ALICE);
      const added = await memory.addMany(['one', 'two', 'three'].map(user));
      const ids = added.slice(0, 2).map((one) => one.memory.id);
      assert.deepEqual(await memory.forget({ ids: [...ids, ...ids] }), { deletedCount: 2 });
      for (const one of added.slice(0, 2)) await assertGone(memory, one.memory.id, one.memory.content);
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['three']);
    });

    const clock = new ManualClock();
    test(
      'by a date takes what is older, of one’s own in every layer',
      async (subject) => {
        const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
        const project = { layer: 'project', identifiers: { projectId: 'p' } } as const;
        await alice.add(user('old note'));
        await alice.add({ content: 'old private note', ...project, visibility: 'private' });
        await alice.add({ content: 'old common note', ...project });
        await bob.add(user('old note of bob'));
        clock.advance(1000);
        const cutoffDate = new Date(clock.now()).toISOString();
        await alice.add(user('note of that very moment'));
        clock.advance(1000);
        await alice.add(user('new note'));
        assert.deepEqual(await alice.forget({ cutoffDate }), { deletedCount: 2 });
        assertSameMembers(await listed(alice, { layer: 'user' }), ['note of that very moment', 'new note']);
        // What belongs to the layer is forgotten only where the layer is named.
        assert.deepEqual(await listed(alice, project), ['old common note']);
        assert.deepEqual(await listed(bob, { layer: 'user' }), ['old note of bob']);
        assert.deepEqual(await bob.forget({ cutoffDate, ...project }), { deletedCount: 1 });
      },
      { clock },
    );

    test('by layer, by identifiers and by both takes that scope', async (subject) => {
      const memory = subject.as({ userId: 'alice', agentId: 'helper' });
      const fill = async (): Promise<void> => {
        for (const projectId of ['p', 'q']) {
          await memory.add({ content: `of project ${projectId}`, layer: 'project', identifiers: { projectId } });
        }
        await memory.add(user('of the user'));
        await memory.add({ content: 'of the agent', layer: 'agent' });
      };
      await fill();
      assert.deepEqual(await memory.forget({ layer: 'user' }), { deletedCount: 1 });
      assert.deepEqual(await memory.forget({ layer: 'project', identifiers: { projectId: 'q' } }), { deletedCount: 1 });
      assert.deepEqual(await listed(memory, { layer: 'project', identifiers: { projectId: 'p' } }), ['of project p']);
      assert.deepEqual(await listed(memory, { layer: 'agent' }), ['of the agent']);
      await fill();
      const identifiers = { userId: 'alice', agentId: 'helper', projectId: 'p' };
      assert.deepEqual(await memory.forget({ identifiers }), { deletedCount: 3 });
      assert.deepEqual(await listed(memory, { layer: 'project', identifiers: { projectId: 'q' } }), ['of project q']);
      assert.deepEqual(await memory.forget({ identifiers: {} }), { deletedCount: 0 });
    });

    test('by a filter takes what is one’s own and fits', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      await alice.addMany([
        { ...user('red'), tags: ['x'], metadata: { n: 1 } },
        { ...user('green'), tags: ['x'] },
        { ...user('blue'), metadata: { n: 1 } },
      ]);
      await bob.add({ ...user('black'), tags: ['x'], metadata: { n: 1 } });
      assert.deepEqual(await alice.forget({ filter: { tags: ['x'], custom: { n: 1 } } }), { deletedCount: 1 });
      assert.deepEqual(await alice.forget({ filter: { custom: { n: 1 } } }), { deletedCount: 1 });
      assert.deepEqual(await listed(alice, { layer: 'user' }), ['green']);
      assert.deepEqual(await listed(bob, { layer: 'user' }), ['black']);
    });

    test('by conditions together takes only what meets all of them', async (subject) => {
      const memory = subject.as(ALICE);
      const added = await memory.addMany(['a', 'b', 'c'].map((name) => ({ ...user(name), tags: [name] })));
      const ids = added.slice(0, 2).map((one) => one.memory.id);
      const filter = { tags: ['b', 'c'] };
      const elsewhere = { layer: 'project', identifiers: { projectId: 'p' } } as const;
      assert.deepEqual(await memory.forget({ ids, filter, ...elsewhere }), { deletedCount: 0 });
      assert.deepEqual(await memory.forget({ ids, filter, cutoffDate: '2000-01-01T00:00:00Z' }), { deletedCount: 0 });
      assert.deepEqual(await memory.forget({ ids, filter, layer: 'user' }), { deletedCount: 1 });
      assertSameMembers(await listed(memory, { layer: 'user' }), ['a', 'c']);
    });

    test('takes thousands at once', async (subject) => {
      const memory = subject.as(ALICE);
      for (let batch = 0; batch < 3; batch += 1) {
        await memory.addMany(Array.from({ length: 700 }, (_, n) => user(`grain ${batch} of sand ${n}`)));
      }
      await memory.add({ content: 'Not a grain', layer: 'project', identifiers: { projectId: 'p' } });
      assert.deepEqual(await memory.forget({ layer: 'user' }), { deletedCount: 2100 });
      assert.deepEqual(await recalled(memory, { query: 'grain of sand' }), []);
      assert.deepEqual(await listed(memory, { layer: 'project', identifiers: { projectId: 'p' } }), ['Not a grain']);
    });

    test('takes all there are, however many, and leaves alone what is not yours', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const project = { layer: 'project', identifiers: { projectId: 'p' }, visibility: 'private' } as const;
      const many = (name: string): (typeof project & { content: string })[] =>
        Array.from({ length: 250 }, (_, n) => ({ ...project, content: `${name} ${n}` }));
      await alice.addMany(many('leaf'));
      await bob.addMany(many('twig'));
      await alice.addMany(many('root'));
      const { layer, identifiers } = project;
      assert.deepEqual(await alice.forget({ layer, identifiers }), { deletedCount: 500 });
      assert.equal((await alice.list({ layer, identifiers })).totalCount, 0);
      assert.equal((await bob.list({ layer, identifiers })).totalCount, 250);
    });

    test('is one deletion also when asked for many times at once', async (subject) => {
      const memory = subject.as(ALICE);
      const added = await memory.addMany(Array.from({ length: 20 }, (_, n) => user(`leaf ${n}`)));
      const counts = await Promise.all([
        memory.forget({ layer: 'user' }),
        memory.forget({ layer: 'user' }),
        memory.forget({ ids: added.map((one) => one.memory.id) }),
      ]);
      assert.equal(
        counts.reduce((sum, { deletedCount }) => sum + deletedCount, 0),
        20,
      );
      assert.deepEqual(await memory.get({ id: nth(added).memory.id }), { memory: null });
    });
  });
}
