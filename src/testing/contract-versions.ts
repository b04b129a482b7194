/** Contract: an update writes a new version and keeps the old one, and nobody overwrites what they have not seen. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure, listed, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const WRITERS = 30;

export function versionsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('versions', () => {
    const clock = new ManualClock();
    test(
      'are all kept, whole and in order',
      async (subject) => {
        const memory = subject.as(ALICE);
        const states = [(await memory.add({ content: 'Draft 1', layer: 'user', metadata: { n: 1 } })).memory];
        const { id } = states[0] ?? { id: '' };
        for (let n = 2; n <= 12; n += 1) {
          clock.advance(1000);
          const change = n % 3 === 0 ? { metadata: { n } } : { content: `Draft ${n}`, tags: [`t${n}`] };
          states.push((await memory.update({ id, ...change })).memory);
        }
        const { versions } = await memory.versions({ id });
        assert.deepEqual(
          versions.map((version) => version.memory),
          states.toReversed(),
        );
        assert.deepEqual(
          versions.map(({ memory: { version, previousVersion } }) => [version, previousVersion]),
          Array.from({ length: 12 }, (_, index) => [12 - index, index === 11 ? null : 11 - index]),
        );
        assert.deepEqual(
          versions.map((version) => version.replacedAt),
          [null, ...versions.slice(0, -1).map((version) => version.memory.updatedAt)],
        );
        assert.equal(new Set(versions.map((version) => version.memory.createdAt)).size, 1);
      },
      { clock },
    );

    test('come from every kind of write', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { layer: 'user', externalId: 'x' } as const;
      const { id } = (await memory.add({ ...input, content: 'One' })).memory;
      await memory.add({ ...input, content: 'Two' });
      await memory.addMany([
        { ...input, content: 'Three' },
        { ...input, content: 'Four' },
      ]);
      await memory.update({ id, content: 'Five' });
      const { versions } = await memory.versions({ id });
      assert.deepEqual(
        versions.map((version) => version.memory.content),
        ['Five', 'Four', 'Three', 'Two', 'One'],
      );
    });

    test('are not made by an update that changes nothing', async (subject) => {
      const memory = subject.as(ALICE);
      const added = (
        await memory.add({ content: 'Settled', layer: 'user', tags: ['a'], validFrom: '2026-01-01T00:00:00Z' })
      ).memory;
      const { id } = added;
      for (const change of [
        {},
        { content: 'Settled' },
        { content: ' Settled\n' },
        { tags: ['a', 'a'], importance: 0.5, metadata: {} },
        { validFrom: '2026-01-01T02:00:00+02:00', visibility: 'private' as const },
      ]) {
        const { memory: same, embeddingRegenerated } = await memory.update({ id, ...change });
        assert.deepEqual([same.version, same.updatedAt, embeddingRegenerated], [1, added.updatedAt, false]);
      }
      assert.equal((await memory.versions({ id })).versions.length, 1);
    });

    test('that are past are not found any more', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'The zeppelin lands at noon', layer: 'user' })).memory;
      await memory.update({ id, content: 'The train arrives at noon' });
      assert.deepEqual(await recalled(memory, { query: 'zeppelin', mode: 'keyword' }), []);
      assert.deepEqual(await recalled(memory, { query: 'train', mode: 'keyword' }), ['The train arrives at noon']);
      const { results } = await memory.search({ query: 'The train arrives at noon', mode: 'semantic', threshold: 0 });
      assert.ok((results[0]?.similarity ?? 0) > 0.999);
      assert.deepEqual(await listed(memory, { layer: 'user' }), ['The train arrives at noon']);
    });
  });

  runner.describe('conflicts', () => {
    test('a stale expected version is refused and changes nothing', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'First', layer: 'user' })).memory;
      const second = (await memory.update({ id, content: 'Second', expectedVersion: 1 })).memory;
      const error = await failure('VERSION_CONFLICT', memory.update({ id, content: 'Third', expectedVersion: 1 }));
      assert.deepEqual(error.details, { currentVersion: 2, expectedVersion: 1 });
      await failure('VERSION_CONFLICT', memory.update({ id, content: 'Third', expectedVersion: 3 }));
      await failure('VERSION_CONFLICT', memory.update({ id, content: 'Second', expectedVersion: 1 }));
      assert.deepEqual((await memory.get({ id })).memory, second);
      assert.equal((await memory.versions({ id })).versions.length, 2);
    });

    test('a change into what another memory says is refused', async (subject) => {
      const memory = subject.as(ALICE);
      const one = (await memory.add({ content: 'One', layer: 'user' })).memory;
      const two = (await memory.add({ content: 'Two', layer: 'user' })).memory;
      const error = await failure('VERSION_CONFLICT', memory.update({ id: two.id, content: ' One ' }));
      assert.equal(error.details?.['conflictingId'], one.id);
      assert.deepEqual((await memory.get({ id: two.id })).memory, two);
      await memory.delete({ id: one.id });
      assert.equal((await memory.update({ id: two.id, content: 'One' })).memory.version, 2);
    });

    test('a change into what another owner says is nobody else’s business', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      await bob.add({ content: 'One', layer: 'user' });
      const { id } = (await alice.add({ content: 'Two', layer: 'user' })).memory;
      assert.equal((await alice.update({ id, content: 'One' })).memory.content, 'One');
    });

    test('of many who expect the same version exactly one wins, round after round', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'Round 0', layer: 'user' })).memory;
      for (let round = 1; round <= 3; round += 1) {
        const outcomes = await Promise.allSettled(
          Array.from({ length: WRITERS }, (_, writer) =>
            memory.update({ id, content: `Round ${round} by ${writer}`, expectedVersion: round }),
          ),
        );
        const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.memory] : []));
        const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
        assert.equal(won.length, 1);
        for (const error of lost) await failure('VERSION_CONFLICT', Promise.reject(error));
        assert.deepEqual((await memory.get({ id })).memory?.content, won[0]?.content);
      }
      assert.equal((await memory.versions({ id })).versions.length, 4);
    });

    test('without an expected version all of many updates are applied, one after the other', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'Counted', layer: 'user' })).memory;
      await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => memory.update({ id, metadata: { [`w${writer}`]: writer } })),
      );
      const entry = (await memory.get({ id })).memory;
      assert.equal(entry?.version, WRITERS + 1);
      assert.equal(Object.keys(entry?.metadata ?? {}).length, WRITERS);
      const { versions } = await memory.versions({ id });
      assert.deepEqual(
        versions.map((version) => Object.keys(version.memory.metadata).length),
        Array.from({ length: WRITERS + 1 }, (_, index) => WRITERS - index),
      );
    });

    test('updates and deletions at once leave a whole memory or none', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'Contested', layer: 'user' })).memory;
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 10 }, (_, n) => memory.update({ id, content: `Contested ${n}` })),
        memory.delete({ id }),
        ...Array.from({ length: 10 }, (_, n) => memory.update({ id, content: `Contested ${n + 10}` })),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') await failure('MEMORY_NOT_FOUND', Promise.reject(outcome.reason));
      }
      assert.deepEqual(await memory.get({ id }), { memory: null });
      assert.deepEqual(await recalled(memory, { query: 'contested' }), []);
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 0);
    });
  });
}
