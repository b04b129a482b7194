/** Contract: what happens when embedding fails, and when the time of a memory has come. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

export function failureContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('an embedder that fails', () => {
    test('fails a write, and nothing is stored', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'Known already', layer: 'user' })).memory;
      subject.embedder.fail = true;
      const error = await failure('EMBEDDING_FAILED', memory.add({ content: 'Brand new', layer: 'user' }));
      assert.equal(error.retryable, true);
      await failure(
        'EMBEDDING_FAILED',
        memory.addMany([
          { content: 'Known already', layer: 'user', tags: ['half'] },
          { content: 'Brand new', layer: 'user' },
        ]),
      );
      await failure('EMBEDDING_FAILED', memory.update({ id, content: 'Brand new', tags: ['half'] }));
      subject.embedder.fail = false;
      const entry = (await memory.get({ id })).memory;
      assert.deepEqual([entry?.content, entry?.version, entry?.tags], ['Known already', 1, []]);
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['Known already']);
      for (const mode of MODES) {
        assert.deepEqual(await recalled(memory, { query: 'brand new known already', mode }), ['Known already']);
      }
    });

    test('does not stand in the way of what needs no embedding', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'The harbour freezes in January', layer: 'user' })).memory;
      subject.embedder.fail = true;
      assert.deepEqual(await recalled(memory, { query: 'harbour', mode: 'keyword' }), [
        'The harbour freezes in January',
      ]);
      assert.equal((await memory.update({ id, tags: ['winter'] })).memory.version, 2);
      const again = await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
      assert.equal(again.status, 'unchanged');
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
      assert.deepEqual(await memory.delete({ id }), { success: true });
    });

    test('leaves a hybrid search with words and a warning, a semantic one with an error', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
      assert.equal((await memory.search({ query: 'frozen harbour' })).warnings, undefined);
      subject.embedder.fail = true;
      const query = 'is the harbour icy';
      const degraded = await memory.search({ query, threshold: 0 });
      assert.equal(degraded.warnings?.length, 1);
      assert.deepEqual(
        degraded.results.map((one) => [one.memory.content, one.similarity]),
        [['The harbour freezes in January', null]],
      );
      const keyword = await memory.search({ query, threshold: 0, mode: 'keyword' });
      assert.equal(keyword.warnings, undefined);
      assert.deepEqual(
        degraded.results.map(({ signals }) => signals.text),
        keyword.results.map(({ signals }) => signals.text),
      );
      await failure('EMBEDDING_FAILED', memory.search({ query, mode: 'semantic' }));
      subject.embedder.fail = false;
      assert.equal((await memory.search({ query, threshold: 0 })).warnings, undefined);
    });
  });

  runner.describe('a memory that expires', () => {
    const clock = new ManualClock();
    const inAMinute = (): string => new Date(clock.now() + 60_000).toISOString();

    test(
      'is out of sight from then on',
      async (subject) => {
        const memory = subject.as(ALICE);
        await memory.add({ content: 'The offer stands for good', layer: 'user' });
        const { id } = (await memory.add({ content: 'The offer ends soon', layer: 'user', expiresAt: inAMinute() }))
          .memory;
        await memory.update({ id, metadata: { seen: true } });
        clock.advance(59_999);
        assert.equal((await memory.list({ layer: 'user' })).totalCount, 2);
        assert.equal((await recalled(memory, { query: 'offer' })).length, 2);
        clock.advance(1);
        for (const mode of MODES) {
          assert.deepEqual(await recalled(memory, { query: 'offer ends soon', mode }), ['The offer stands for good']);
        }
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['The offer stands for good']);
        assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
        assert.equal((await memory.list({ layer: 'user', filter: { custom: { seen: true } } })).totalCount, 0);
        assert.deepEqual(await memory.get({ id }), { memory: null });
        await failure('MEMORY_NOT_FOUND', memory.versions({ id }));
        await failure('MEMORY_NOT_FOUND', memory.update({ id, importance: 1 }));
        assert.deepEqual(await memory.delete({ id }), { success: false });
        assert.deepEqual(await memory.forget({ ids: [id] }), { deletedCount: 0 });
      },
      { clock },
    );

    test(
      'does not stand in the way of what says the same later',
      async (subject) => {
        const memory = subject.as(ALICE);
        const input = { content: 'Parking is free', layer: 'user', externalId: 'parking' } as const;
        const first = await memory.add({ ...input, expiresAt: inAMinute(), tags: ['old'] });
        clock.advance(120_000);
        const second = await memory.add(input);
        assert.equal(second.status, 'created');
        assert.notEqual(second.memory.id, first.memory.id);
        assert.deepEqual([second.memory.version, second.memory.tags, second.memory.expiresAt], [1, [], undefined]);
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['Parking is free']);
      },
      { clock },
    );

    test(
      'keeps its id, which nobody else can take over even then',
      async (subject) => {
        const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
        const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
        for (const [index, visibility] of (['private', 'shared'] as const).entries()) {
          const mine = { id: nth(ids, index), content: `Brief and ${visibility}`, layer: 'user' } as const;
          await alice.add({ ...mine, visibility, expiresAt: inAMinute() });
          clock.advance(120_000);
          await failure('VERSION_CONFLICT', bob.add({ id: mine.id, content: 'Bob was here', layer: 'user' }));
          assert.equal((await alice.add(mine)).status, 'created');
        }
        assert.deepEqual(await listed(bob, { layer: 'user' }), []);
      },
      { clock },
    );

    test(
      'is refused when its time is over, and an update can extend it before',
      async (subject) => {
        const memory = subject.as(ALICE);
        const past = new Date(clock.now() - 1).toISOString();
        await failure(
          'VALIDATION_FAILED',
          memory.add({ content: 'Over before it began', layer: 'user', expiresAt: past }),
        );
        assert.deepEqual(await listed(memory, { layer: 'user' }), []);
        const { id } = (await memory.add({ content: 'Extended', layer: 'user', expiresAt: inAMinute() })).memory;
        await memory.update({ id, expiresAt: '2999-01-01T00:00:00Z' });
        clock.advance(120_000);
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['Extended']);
      },
      { clock },
    );
  });
}
