/** Contract: lists come newest first, page by page, and a page is stable while others write. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };

const facts = (from: number, to: number): { content: string; layer: 'user' }[] =>
  Array.from({ length: to - from }, (_, index) => ({ content: `fact ${from + index}`, layer: 'user' }));

async function firstCursor(memory: Memory, input: Parameters<Memory['list']>[0]): Promise<string> {
  const { nextCursor } = await memory.list({ limit: 1, ...input });
  assert.ok(nextCursor);
  return nextCursor;
}

export function listsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('lists', () => {
    const ticking = new ManualClock();
    test(
      'come newest first',
      async (subject) => {
        const memory = subject.as(ALICE);
        for (const input of facts(0, 5)) {
          await memory.add(input);
          ticking.advance(1);
        }
        await memory.addMany(facts(5, 8));
        assert.deepEqual(
          await listed(memory, { layer: 'user' }),
          facts(0, 8)
            .map(({ content }) => content)
            .toReversed(),
        );
      },
      { clock: ticking },
    );

    test('have fifty on a page unless told otherwise', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(facts(0, 120));
      const first = await memory.list({ layer: 'user' });
      assert.deepEqual([first.memories.length, first.totalCount], [50, 120]);
      await memory.addMany(facts(120, 121));
      // Counted once: whoever reads all of it does not wait for that with every page.
      const second = await memory.list({ layer: 'user', cursor: first.nextCursor ?? undefined });
      assert.deepEqual([second.memories.length, second.totalCount], [50, 120]);
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 121);
      assert.equal((await memory.list({ layer: 'user', limit: 100 })).memories.length, 100);
      for (const limit of [0, -1, 101, 1.5]) await failure('VALIDATION_FAILED', memory.list({ layer: 'user', limit }));
    });

    test('visit everything exactly once, whatever the size of the page', async (subject) => {
      const memory = subject.as(ALICE);
      const kinds = ['semantic', 'episodic', 'procedural'] as const;
      // Several partitions, many entries of the same millisecond.
      const inputs = facts(0, 60).map((input, index) => ({
        ...input,
        kind: kinds[index % 3] ?? 'semantic',
        visibility: index % 2 === 0 ? ('private' as const) : ('shared' as const),
      }));
      await memory.addMany(inputs);
      const expected = await listed(memory, { layer: 'user', limit: 100 });
      assertSameMembers(
        expected,
        inputs.map(({ content }) => content),
      );
      for (const limit of [1, 7, 30, 60]) assert.deepEqual(await listed(memory, { layer: 'user', limit }), expected);
      const last = await memory.list({ layer: 'user', limit: 60 });
      assert.equal(last.nextCursor, null);
    });

    const clock = new ManualClock();
    test(
      'are stable while others write and delete',
      async (subject) => {
        const memory = subject.as(ALICE);
        await memory.addMany(facts(0, 100));
        const { memories } = await memory.list({ layer: 'user', limit: 100 });
        const doomed = new Set<string>();
        const seen: string[] = [];
        let cursor: string | null = null;
        let round = 0;
        do {
          const page = await memory.list({ layer: 'user', limit: 9, ...(cursor && { cursor }) });
          seen.push(...page.memories.map(({ id }) => id));
          cursor = page.nextCursor;
          clock.advance(1);
          await memory.addMany(facts(1000 + round * 10, 1005 + round * 10));
          // One that was seen, one that was not, and the very one at which the page ended.
          for (const victim of [nth(memories, round), nth(memories, -1 - round), ...page.memories.slice(-1)]) {
            if (!seen.includes(victim.id)) doomed.add(victim.id);
            await memory.delete({ id: victim.id });
          }
          const untouched = memories.find(({ id }) => !seen.includes(id) && !doomed.has(id));
          if (untouched) await memory.update({ id: untouched.id, metadata: { round } });
          round += 1;
        } while (cursor !== null);
        assert.equal(new Set(seen).size, seen.length);
        assertSameMembers(
          seen,
          memories.map(({ id }) => id).filter((id) => !doomed.has(id)),
        );
      },
      { clock },
    );

    test('count exactly, after every kind of change', async (subject) => {
      const memory = subject.as(ALICE);
      const count = async (filter = {}): Promise<number> =>
        (await memory.list({ layer: 'user', limit: 1, filter })).totalCount;
      const added = await memory.addMany(facts(0, 10));
      assert.equal(await count(), 10);
      await memory.addMany(facts(5, 15));
      assert.equal(await count(), 15);
      const { id } = nth(added).memory;
      await memory.update({ id, content: 'changed', tags: ['x'], visibility: 'shared' });
      assert.deepEqual([await count(), await count({ tags: ['x'] })], [15, 1]);
      await memory.delete({ id });
      assert.deepEqual([await count(), await count({ tags: ['x'] })], [14, 0]);
      await memory.forget({ layer: 'user' });
      assert.equal(await count(), 0);
    });

    test('refuse a cursor that is broken', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(facts(0, 3));
      const cursor = await firstCursor(memory, { layer: 'user' });
      const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const tampered = `${cursor.slice(0, -4)}${cursor.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      for (const broken of [
        'x',
        '!!!',
        tampered,
        cursor.slice(1),
        forged(null),
        forged([]),
        forged([-1, 'x', 'y']),
        forged(['0', crypto.randomUUID(), 'abcdefgh']),
        forged([1e300, crypto.randomUUID(), 'abcdefgh']),
        "' OR 1=1 --",
        '🙂',
      ]) {
        await failure('VALIDATION_FAILED', memory.list({ layer: 'user', cursor: broken }));
      }
      await failure('VALIDATION_FAILED', memory.list({ layer: 'user', cursor: '' }));
      await failure('VALIDATION_FAILED', memory.list({ layer: 'user', cursor: 'a'.repeat(2000) }));
    });

    test('refuse the cursor of another list', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(facts(0, 3));
      const cursor = await firstCursor(memory, { layer: 'user' });
      const identifiers = { userId: 'alice', sessionId: 's' };
      await failure('VALIDATION_FAILED', memory.list({ layer: 'session', identifiers, cursor }));
      await failure('VALIDATION_FAILED', memory.list({ layer: 'user', kinds: ['semantic'], cursor }));
      await failure('VALIDATION_FAILED', memory.list({ layer: 'user', filter: { tags: ['x'] }, cursor }));
      await failure('VALIDATION_FAILED', subject.as({ userId: 'bob' }).list({ layer: 'user', cursor }));
      // Another size of page is the same list.
      assert.equal((await memory.list({ layer: 'user', limit: 2, cursor })).memories.length, 2);
    });

    test('look up what goes by given names, and give nothing else', async (subject) => {
      const [memory, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const project = { layer: 'project', identifiers: { projectId: 'apollo' } } as const;
      const named = (externalId: string): { externalId: string } => ({ externalId });
      await memory.addMany([
        { content: 'mine a', layer: 'user', ...named('a'), tags: ['x'] },
        { content: 'mine b', layer: 'user', ...named('b') },
        { content: 'nameless', layer: 'user' },
        { content: 'an episode a', layer: 'user', kind: 'episodic', ...named('a') },
        { content: 'all a', ...project, ...named('a') },
        { content: 'my own a', ...project, ...named('a'), visibility: 'private' },
      ]);
      await bob.addMany([
        { content: 'of bob', layer: 'user', ...named('a') },
        { content: 'of bob alone', ...project, ...named('a'), visibility: 'private' },
      ]);
      const find = (input: Partial<Parameters<Memory['list']>[0]>): Promise<string[]> =>
        listed(memory, { layer: 'user', limit: 1, ...input });
      assertSameMembers(await find({ externalIds: ['a', 'nobody', 'a'] }), ['mine a', 'an episode a']);
      assert.deepEqual(await find({ externalIds: ['a', 'b'], kinds: ['semantic'], filter: { tags: ['x'] } }), [
        'mine a',
      ]);
      assertSameMembers(await find({ ...project, externalIds: ['a'] }), ['all a', 'my own a']);
      assert.deepEqual(await find({ externalIds: ['a'], identifiers: { userId: 'bob' } }), []);
      const [entry] = (await memory.list({ layer: 'user', externalIds: ['b'] })).memories;
      await memory.archive({ id: entry?.id ?? '' });
      assert.deepEqual(await find({ externalIds: ['b'] }), []);
      assert.deepEqual(await find({ externalIds: ['b'], status: 'archived' }), ['mine b']);
      assert.deepEqual(await find({ externalIds: ['b'], status: 'all' }), ['mine b']);
      const asOf = new Date().toISOString();
      await failure('VALIDATION_FAILED', memory.list({ layer: 'user', externalIds: ['a'], asOf }));
      for (const externalIds of [[], [''], ['x'.repeat(256)], Array.from({ length: 101 }, String)]) {
        await failure('VALIDATION_FAILED', memory.list({ layer: 'user', externalIds }));
      }
    });
  });
}
