/** Contract: knowledge in other words is the same knowledge, where the writer asks for that and nowhere else. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob' };

/** Long enough that one more word changes little: by the test embedder, variants are 0.91 alike at least. */
const FACT = 'Python was created by Guido van Rossum and first released in the winter of the year 1991';
/** In letters: what differs in a figure is never the same. */
const variant = (number: number): string => `${FACT}, note ${String.fromCodePoint(97 + number).repeat(3)}`;
const CLOSE = 0.9;

async function contents(memory: Memory): Promise<string[]> {
  const { results } = await memory.semantic.search({ query: 'Python', threshold: 0, limit: 100 });
  return results.map(({ content }) => content);
}

export function upsertContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('upserting by meaning', () => {
    test('revises the nearest one and keeps its old words', async (subject) => {
      const memory = subject.as(ALICE);
      const first = await memory.semantic.upsert({ content: FACT, metadata: { a: 1 }, tags: ['language'] });
      const second = await memory.semantic.upsert({
        content: variant(1),
        metadata: { b: 2 },
        dedupeThreshold: CLOSE,
      });
      assert.deepEqual([first.status, second.status, second.id], ['created', 'updated', first.id]);
      assert.equal(second.embeddingGenerated, true);
      assert.deepEqual(second.memory.metadata, { a: 1, b: 2 });
      assert.deepEqual(second.memory.tags, ['language']);
      const { versions } = await memory.versions({ id: first.id });
      assert.deepEqual(
        versions.map((version) => version.memory.content),
        [variant(1), FACT],
      );
      const third = await memory.semantic.upsert({ content: variant(1), dedupeThreshold: CLOSE });
      assert.deepEqual([third.status, third.memory], ['unchanged', second.memory]);
      assert.deepEqual(await contents(memory), [variant(1)]);
    });

    test('happens from the threshold on, and never unless one is given', async (subject) => {
      const memory = subject.as(ALICE);
      const dedupeThreshold = 0.95;
      const { id } = await memory.semantic.upsert({ content: FACT, dedupeThreshold });
      assert.equal(
        (await memory.semantic.upsert({ content: 'The kettle is loud', dedupeThreshold })).status,
        'created',
      );
      const near = await memory.semantic.upsert({ content: `${FACT} one`, dedupeThreshold });
      assert.deepEqual([near.status, near.id], ['updated', id]);
      const shorter = 'Python was created by Guido van Rossum';
      assert.equal((await memory.semantic.upsert({ content: shorter, dedupeThreshold })).status, 'created');
      const last = await memory.semantic.upsert({ content: 'Python was made by Guido', dedupeThreshold: 0 });
      assert.equal(last.status, 'updated');
      for (const write of ['store', 'upsert'] as const)
        assert.equal((await memory.semantic[write]({ content: `${FACT}, by ${write}` })).status, 'created');
    });

    test('never takes another figure, negation or name for the same', async (subject) => {
      const memory = subject.as(ALICE);
      const upsert = async (content: string): Promise<string> =>
        (await memory.semantic.upsert({ content, userId: 'alice', dedupeThreshold: 0.5 })).status;
      const pairs = [
        ['I am allergic to nuts', 'I am not allergic to nuts'],
        ['My phone number is 555-0101', 'My phone number is 555-0102'],
        ['the manager of the shop is Bob', 'the manager of the shop is Carol'],
        ['Erik has kept bees for years', 'Dana has kept bees for years'],
      ] as const;
      for (const pair of pairs) {
        for (const content of pair) assert.equal(await upsert(content), 'created', content);
        for (const content of pair) assert.equal(await upsert(content), 'unchanged', content);
      }
      assert.equal(await upsert('now the manager of the shop is Bob'), 'updated');
    });

    test('never crosses from private to public, from one owner to another, or from one name to another', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
      const close = { dedupeThreshold: 0.5 };
      const ids = [
        await alice.semantic.upsert({ content: variant(1), userId: 'alice', ...close }),
        await alice.semantic.upsert({ content: variant(2), userId: 'alice', public: true, ...close }),
        await alice.semantic.upsert({ content: variant(3), ...close }),
        await bob.semantic.upsert({ content: variant(4), userId: 'bob', public: true, ...close }),
        await alice.semantic.upsert({ content: variant(5), userId: 'alice', externalId: 'e', ...close }),
        await alice.semantic.upsert({ content: variant(6), userId: 'alice', externalId: 'f', ...close }),
      ].map(({ id, status }) => ({ id, status }));
      assert.deepEqual(
        ids.map(({ status }) => status),
        // The first name is given to the anonymous one that says the same.
        ['created', 'created', 'created', 'created', 'updated', 'created'],
      );
      assert.equal(nth(ids, 4).id, nth(ids, 0).id);
      assert.equal(new Set(ids.map(({ id }) => id)).size, 5);
      // Without a name of its own, it may be any of them.
      const nameless = await alice.semantic.upsert({ content: variant(6), userId: 'alice', ...close });
      assert.deepEqual([nameless.status, nameless.id], ['unchanged', nth(ids, 5).id]);
      assertSameMembers(await contents(bob), [variant(2), variant(3), variant(4)]);
    });

    test('of twenty variants at once makes one memory', async (subject) => {
      const memory = subject.as(ALICE);
      const written = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          memory.semantic.upsert({ content: variant(n), userId: 'alice', dedupeThreshold: CLOSE }),
        ),
      );
      const { id } = nth(written);
      assert.deepEqual(new Set(written.map((one) => one.id)), new Set([id]));
      assert.equal(written.filter(({ status }) => status === 'created').length, 1);
      assert.equal(written.filter(({ status }) => status === 'updated').length, 19);
      const { versions } = await memory.versions({ id });
      assertSameMembers(
        versions.map((version) => version.memory.content),
        Array.from({ length: 20 }, (_, n) => variant(n)),
      );
      assert.equal((await contents(memory)).length, 1);
    });

    const clock = new ManualClock();
    test(
      'does not revive what has expired',
      async (subject) => {
        const memory = subject.as(ALICE);
        const expiresAt = new Date(clock.now() + 1000).toISOString();
        const old = await memory.semantic.upsert({ content: FACT, userId: 'alice', externalId: 'e', expiresAt });
        clock.advance(1000);
        const near = await memory.semantic.upsert({ content: variant(1), userId: 'alice', dedupeThreshold: CLOSE });
        assert.equal(near.status, 'created');
        const named = await memory.semantic.upsert({ content: 'Anew', userId: 'alice', externalId: 'e', public: true });
        assert.deepEqual([named.status, named.memory.version], ['created', 1]);
        assert.notEqual(named.id, old.id);
      },
      { clock },
    );
  });
}
