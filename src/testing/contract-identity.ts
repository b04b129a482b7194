/** Contract: the same content in the same scope is one memory, and a name of the caller's own wins over the content. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { assertSameMembers, failure, listed, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const OWN_ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';

export function identityContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('same content', () => {
    test('is created once, then unchanged, and updated when its fields differ', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { content: 'The office closes at six', layer: 'user' } as const;
      const first = await memory.add(input);
      const second = await memory.add(input);
      const third = await memory.add({ ...input, importance: 0.9 });
      assert.deepEqual([first.status, second.status, third.status], ['created', 'unchanged', 'updated']);
      assert.deepEqual(second.memory, first.memory);
      assert.deepEqual([second.embeddingGenerated, third.embeddingGenerated], [false, false]);
      assert.equal(third.memory.id, first.memory.id);
      assert.equal(third.memory.version, 2);
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
    });

    test('is the same whatever its white space and Unicode composition; the first spelling stays', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'The café  opens\nat nine', layer: 'user' })).memory;
      const again = await memory.add({ content: '\tThe cafe\u0301 opens at   nine ', layer: 'user' });
      assert.equal(again.status, 'unchanged');
      assert.equal(again.memory.id, id);
      assert.equal(again.memory.content, 'The café  opens\nat nine');
      const other = await memory.add({ content: 'the café opens at nine', layer: 'user' });
      assert.equal(other.status, 'created');
    });

    test('is not embedded again', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ content: 'Embedded but once', layer: 'user' });
      const { texts } = subject.embedder;
      await memory.add({ content: 'Embedded  but once', layer: 'user' });
      await memory.addMany([
        { content: 'Embedded but once', layer: 'user', tags: ['again'] },
        { content: 'Embedded but once', layer: 'user' },
      ]);
      const { id } = nth((await memory.list({ layer: 'user' })).memories);
      const updated = await memory.update({ id, content: 'Embedded  but  once', importance: 0.1 });
      assert.equal(updated.embeddingRegenerated, false);
      assert.equal(subject.embedder.texts, texts);
      assert.equal((await memory.update({ id, content: 'Embedded anew' })).embeddingRegenerated, true);
      assert.equal(subject.embedder.texts, texts + 1);
    });

    test('is the same in one batch, private or shared', async (subject) => {
      const memory = subject.as(ALICE);
      const twice = { content: 'Said twice', layer: 'user' } as const;
      const named = { layer: 'user', externalId: 'name' } as const;
      const outputs = await memory.addMany([
        twice,
        { ...twice, visibility: 'shared' },
        { ...named, content: 'To all', visibility: 'shared' },
        { ...named, content: 'To me', visibility: 'private' },
      ]);
      assert.deepEqual(
        outputs.map(({ status, memory: { visibility } }) => [status, visibility]),
        [
          ['created', 'private'],
          ['updated', 'shared'],
          ['created', 'shared'],
          ['updated', 'private'],
        ],
      );
      assert.equal(nth(outputs, 1).memory.id, nth(outputs).memory.id);
      assertSameMembers(await listed(memory, { layer: 'user' }), ['Said twice', 'To me']);
    });

    test('in another scope, of another kind or of another owner is another memory', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const content = 'Deploy on Tuesdays';
      const project = { layer: 'project', identifiers: { projectId: 'p' } } as const;
      const added = [
        await alice.add({ content, layer: 'user' }),
        await bob.add({ content, layer: 'user' }),
        await alice.add({ content, ...project }),
        await alice.add({ content, layer: 'project', identifiers: { projectId: 'q' } }),
        await alice.add({ content, ...project, kind: 'procedural' }),
        await bob.add({ content, ...project, kind: 'procedural' }),
        await alice.add({ content, ...project, visibility: 'private' }),
        await bob.add({ content, ...project, visibility: 'private' }),
      ];
      assert.deepEqual(new Set(added.map(({ status }) => status)), new Set(['created']));
      assert.equal(new Set(added.map(({ memory }) => memory.id)).size, added.length);
      // What belongs to the layer is one memory, whoever says it.
      const shared = await bob.add({ content, ...project });
      assert.equal(shared.status, 'unchanged');
      assert.equal(shared.memory.id, nth(added, 2).memory.id);
    });

    test('may happen again and again where it is an episode', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { content: 'yes', layer: 'session', kind: 'episodic' } as const;
      const identifiers = { userId: 'alice', sessionId: 's' };
      for (let turn = 0; turn < 3; turn += 1) {
        assert.equal((await memory.add({ ...input, identifiers, turn })).status, 'created');
      }
      assert.equal((await memory.list({ layer: 'session', identifiers })).totalCount, 3);
    });

    test('added fifty times at once makes one memory', async (subject) => {
      const memory = subject.as(ALICE);
      const added = await Promise.all(
        Array.from({ length: 50 }, () => memory.add({ content: 'Said by everyone at once', layer: 'user' })),
      );
      assert.equal(new Set(added.map((one) => one.memory.id)).size, 1);
      assert.equal(added.filter(({ status }) => status === 'created').length, 1);
      assert.equal(added.filter(({ status }) => status === 'unchanged').length, 49);
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 1);
    });
  });

  runner.describe('external ids', () => {
    test('win over the content', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { layer: 'user', externalId: 'doc-1' } as const;
      const first = await memory.add({ ...input, content: 'Draft' });
      const second = await memory.add({ ...input, content: 'Final' });
      assert.equal(second.status, 'updated');
      assert.equal(second.embeddingGenerated, true);
      assert.equal(second.memory.id, first.memory.id);
      assert.equal((await memory.add({ ...input, content: 'Final' })).status, 'unchanged');
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['Final']);
      // What it used to say is free again.
      assert.equal((await memory.add({ content: 'Draft', layer: 'user' })).status, 'created');
    });

    test('adopt the anonymous memory that says the same', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'Found on a note', layer: 'user' })).memory;
      const named = await memory.add({ content: 'Found on a note', layer: 'user', externalId: 'note-1' });
      assert.equal(named.status, 'updated');
      assert.equal(named.memory.id, id);
      assert.equal(named.memory.externalId, 'note-1');
      const anonymous = await memory.add({ content: 'Found on a note', layer: 'user' });
      assert.deepEqual([anonymous.status, anonymous.memory.id], ['unchanged', id]);
    });

    test('two of them are two memories, also when they say the same', async (subject) => {
      const memory = subject.as(ALICE);
      const one = await memory.add({ content: 'Boilerplate', layer: 'user', externalId: 'a' });
      const two = await memory.add({ content: 'Boilerplate', layer: 'user', externalId: 'b' });
      assert.deepEqual([one.status, two.status], ['created', 'created']);
      assert.notEqual(one.memory.id, two.memory.id);
      const later = await memory.add({ content: 'Boilerplate, revised', layer: 'user', externalId: 'b' });
      assert.equal(later.memory.id, two.memory.id);
      assert.equal((await memory.get({ id: one.memory.id })).memory?.content, 'Boilerplate');
    });

    test('are unique per scope, owner and kind only', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const input = { externalId: 'same', layer: 'user' } as const;
      const ids = [
        (await alice.add({ ...input, content: 'of alice' })).memory.id,
        (await bob.add({ ...input, content: 'of bob' })).memory.id,
        (await alice.add({ ...input, content: 'of alice', kind: 'episodic' })).memory.id,
      ];
      assert.equal(new Set(ids).size, 3);
      assert.equal((await alice.get({ id: nth(ids) })).memory?.content, 'of alice');
    });

    test('also hold for episodes', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { layer: 'user', kind: 'episodic', externalId: 'turn-9', content: 'Hello' } as const;
      const first = await memory.add(input);
      assert.equal((await memory.add(input)).status, 'unchanged');
      assert.equal((await memory.add({ ...input, content: 'Hello there' })).memory.id, first.memory.id);
      // But an episode without one is another occurrence, whatever it says.
      const { externalId: _, ...anonymous } = input;
      assert.equal((await memory.add({ ...anonymous, content: 'Hello there' })).status, 'created');
    });
  });

  runner.describe("ids of the caller's own", () => {
    test('are kept, and a retry is unchanged', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { id: OWN_ID, content: 'Mine to name', layer: 'user' } as const;
      const first = await memory.add(input);
      assert.deepEqual([first.status, first.memory.id], ['created', OWN_ID]);
      const retry = await memory.add(input);
      assert.deepEqual([retry.status, retry.memory], ['unchanged', first.memory]);
    });

    test('that are taken are a conflict, and nothing is taken over', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const stranger = subject.as({ userId: 'alice', tenantId: OTHER_ID });
      const { memory } = await alice.add({ id: OWN_ID, content: 'Mine', layer: 'user' });
      await failure('VERSION_CONFLICT', alice.add({ id: OWN_ID, content: 'Something else', layer: 'user' }));
      await failure('VERSION_CONFLICT', bob.add({ id: OWN_ID, content: 'Mine', layer: 'user' }));
      await failure(
        'VERSION_CONFLICT',
        alice.add({ id: OWN_ID, content: 'Mine', layer: 'project', identifiers: { projectId: 'p' } }),
      );
      await failure(
        'VERSION_CONFLICT',
        bob.addMany([
          { content: 'Innocent', layer: 'user' },
          { id: OWN_ID, content: 'Taking over', layer: 'user' },
        ]),
      );
      assert.deepEqual((await alice.get({ id: OWN_ID })).memory, memory);
      assert.deepEqual(await listed(bob, { layer: 'user' }), []);
      // Nothing crosses tenants: there the id is free.
      assert.equal((await stranger.add({ id: OWN_ID, content: 'Elsewhere', layer: 'user' })).status, 'created');
    });

    test('and external ids that mean two memories are a conflict', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ id: OWN_ID, content: 'One', layer: 'user' });
      await memory.add({ id: OTHER_ID, content: 'Two', layer: 'user', externalId: 'two' });
      await failure('VERSION_CONFLICT', memory.add({ id: OWN_ID, externalId: 'two', content: 'One', layer: 'user' }));
      await failure(
        'VERSION_CONFLICT',
        memory.add({ id: OTHER_ID, externalId: 'three', content: 'Two', layer: 'user' }),
      );
      assertSameMembers(await listed(memory, { layer: 'user' }), ['One', 'Two']);
      assert.equal((await memory.get({ id: OWN_ID })).memory?.externalId, undefined);
      assert.equal((await memory.get({ id: OTHER_ID })).memory?.externalId, 'two');
    });
  });

  runner.describe('what has expired', () => {
    const clock = new ManualClock();
    const inASecond = (): string => new Date(clock.now() + 1000).toISOString();

    test(
      'makes way, also where another goes by the rest of the name',
      async (subject) => {
        const memory = subject.as(ALICE);
        await memory.add({ id: OWN_ID, content: 'Over soon', layer: 'user', expiresAt: inASecond() });
        const { memory: named } = await memory.add({ content: 'Goes on', layer: 'user', externalId: 'e' });
        clock.advance(1000);
        const again = await memory.add({ id: OWN_ID, content: 'Goes on still', layer: 'user', externalId: 'e' });
        assert.deepEqual([again.status, again.memory.id], ['updated', named.id]);
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['Goes on still']);
      },
      { clock },
    );

    test(
      'stands in the way of no change, and what is another’s stays',
      async (subject) => {
        const [memory, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
        await memory.add({ content: 'Over soon', layer: 'user', expiresAt: inASecond() });
        await bob.add({ id: OTHER_ID, content: 'Over soon too', layer: 'user', expiresAt: inASecond() });
        const { memory: added } = await memory.add({ content: 'Stays', layer: 'user' });
        clock.advance(1000);
        const { memory: changed } = await memory.update({ id: added.id, content: 'Over soon' });
        assert.deepEqual([changed.content, changed.version], ['Over soon', 2]);
        await failure('VERSION_CONFLICT', memory.add({ id: OTHER_ID, content: 'Taken', layer: 'user' }));
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['Over soon']);
      },
      { clock },
    );
  });

  runner.describe('a batch', () => {
    test('answers in its order and stores its duplicates once', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ content: 'Known before', layer: 'user' });
      const added = await memory.addMany([
        { content: 'New', layer: 'user' },
        { content: 'Known before', layer: 'user' },
        { content: ' New ', layer: 'user' },
        { content: 'New', layer: 'user', tags: ['later'] },
        { content: 'Named', layer: 'user', externalId: 'n' },
        { content: 'Named, revised', layer: 'user', externalId: 'n' },
        { content: 'New', layer: 'user', externalId: 'adopts' },
        { content: 'hm', layer: 'user', kind: 'episodic' },
        { content: 'hm', layer: 'user', kind: 'episodic' },
      ]);
      const statuses = added.map(({ status }) => status);
      assert.deepEqual(statuses.slice(0, 4), ['created', 'unchanged', 'unchanged', 'updated']);
      assert.deepEqual(statuses.slice(4), ['created', 'updated', 'updated', 'created', 'created']);
      assert.equal(nth(added, 0).memory.id, nth(added, 6).memory.id);
      assertSameMembers(await listed(memory, { layer: 'user' }), ['New', 'Known before', 'Named, revised', 'hm', 'hm']);
      assert.deepEqual((await memory.get({ id: nth(added, 0).memory.id })).memory?.tags, ['later']);
    });

    test('is stored whole or not at all, and says which one was wrong', async (subject) => {
      const memory = subject.as(ALICE);
      const error = await failure(
        'MISSING_IDENTIFIER',
        memory.addMany([
          { content: 'Fine', layer: 'user' },
          { content: 'Not fine', layer: 'project' },
        ]),
      );
      assert.equal(error.details?.['index'], 1);
      const span = { validFrom: '2026-01-02T00:00:00Z', validTo: '2026-01-01T00:00:00Z' };
      const alone = await failure('VALIDATION_FAILED', memory.addMany([{ content: 'Hm', layer: 'user', ...span }]));
      assert.match(alone.message, /: memories\.0\.validTo: before validFrom\.$/);
      assert.deepEqual(await listed(memory, { layer: 'user' }), []);
      assert.equal(subject.embedder.texts, 0);
    });

    test('of a thousand is stored and counted', async (subject) => {
      const memory = subject.as(ALICE);
      const inputs = Array.from({ length: 1000 }, (_, index) => ({ content: `Fact ${index}`, layer: 'user' as const }));
      const added = await memory.addMany(inputs);
      assert.deepEqual(
        added.map((one) => one.memory.content),
        inputs.map(({ content }) => content),
      );
      assert.equal((await memory.list({ layer: 'user', limit: 1 })).totalCount, 1000);
    });
  });
}
