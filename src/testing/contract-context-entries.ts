/** Contract: entries of contexts: versions, who edited, weight, archive, expiry, search, and that they lie apart. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const DAY = 86_400_000;

async function shared(memory: Memory, contextId: string, write: string[] = []): Promise<void> {
  await memory.contexts.create({ contextId, type: 'shared_context', access: { write } });
}

export function contextEntriesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('context entries', () => {
    const clock = new ManualClock();
    test(
      'keep every version with who wrote it, and fade by age',
      async (subject) => {
        const alice = subject.as(ALICE);
        const bob = subject.as({ userId: 'bob', agentId: 'scribe' });
        await shared(alice, 'c', ['bob']);
        const place = { contextId: 'c', key: 'door' };
        const created = await alice.contextEntries.put({
          ...place,
          content: 'The door is green',
          entryType: 'observation',
          sourceReference: 'msg-1',
          metadata: { room: 'hall' },
          tags: ['house'],
          importance: 0.8,
          confidence: 0.5,
        });
        const { entryId, contentHash, ...fields } = created.entry;
        const at = new Date(clock.now()).toISOString();
        assert.equal(created.status, 'created');
        assert.deepEqual(fields, {
          ...place,
          content: 'The door is green',
          entryType: 'observation',
          memoryType: 'factual',
          sourceType: 'user',
          sourceReference: 'msg-1',
          metadata: { room: 'hall' },
          tags: ['house'],
          importance: 0.8,
          confidence: 0.5,
          trust: 'user',
          effectiveRelevance: 0.4,
          editedBy: 'alice',
          status: 'active',
          version: 1,
          previousVersion: null,
          accessCount: 0,
          createdAt: at,
          updatedAt: at,
        });
        assert.ok(contentHash.length > 10);
        // Whoever says what is there already has edited nothing.
        const again = await bob.contextEntries.put({ ...place, content: ' The door  is green' });
        assert.deepEqual([again.status, again.entry.version, again.entry.editedBy], ['unchanged', 1, 'alice']);
        clock.advance(30 * DAY);
        assert.equal((await bob.contextEntries.get(place))?.effectiveRelevance, 0.2);
        const changed = await bob.contextEntries.put({
          ...place,
          content: 'The door is red',
          sourceType: 'agent',
          metadata: { paint: 'oil' },
          expectedVersion: 1,
        });
        assert.equal(changed.status, 'updated');
        const { entry } = changed;
        assert.deepEqual([entry.entryId, entry.version, entry.previousVersion], [entryId, 2, 1]);
        assert.deepEqual([entry.editedBy, entry.effectiveRelevance], ['bob/scribe', 0.4]);
        assert.deepEqual([entry.sourceType, entry.sourceReference], ['agent', 'msg-1']);
        assert.deepEqual([entry.metadata, entry.entryType], [{ room: 'hall', paint: 'oil' }, 'observation']);
        const put = (expectedVersion: number): Promise<unknown> =>
          alice.contextEntries.put({ ...place, content: 'The door is gone', expectedVersion });
        await failure('VERSION_CONFLICT', put(1));
        await failure('VERSION_CONFLICT', put(0));
        const { versions } = await alice.contextEntries.versions(place);
        assert.deepEqual(
          versions.map((version) => [version.entry.version, version.entry.content, version.entry.editedBy]),
          [
            [2, 'The door is red', 'bob/scribe'],
            [1, 'The door is green', 'alice'],
          ],
        );
        assert.deepEqual(
          versions.map(({ replacedAt }) => replacedAt),
          [null, entry.updatedAt],
        );
        await failure('VERSION_CONFLICT', alice.contextEntries.delete({ ...place, expectedVersion: 1 }));
        assert.deepEqual(await bob.contextEntries.delete(place), { success: true });
        assert.deepEqual(await bob.contextEntries.delete(place), { success: false });
        assert.equal(await alice.contextEntries.get(place), null);
        await failure('NOT_FOUND', alice.contextEntries.versions(place));
        await failure('VERSION_CONFLICT', put(2));
        assert.equal(
          (await alice.contextEntries.put({ ...place, content: 'New', expectedVersion: 0 })).status,
          'created',
        );
      },
      { clock },
    );

    test('are weighed by many at once, archived, taken back, and written anew', async (subject) => {
      const { contextEntries } = subject.as(ALICE);
      await shared(subject.as(ALICE), 'c', ['bob']);
      const place = { contextId: 'c', key: 'owl' };
      await contextEntries.put({ ...place, content: 'The owl hunts at night', importance: 0 });
      const many = ['alice', 'bob'].flatMap((userId) => Array.from({ length: 3 }, () => subject.as({ userId })));
      await Promise.all(many.map((memory) => memory.contextEntries.boost({ ...place, by: 0.05 })));
      const boosted = await contextEntries.get(place);
      assert.deepEqual([boosted?.importance, boosted?.version], [0.3, 7]);
      assert.equal((await contextEntries.boost({ ...place, by: 1 })).importance, 1);
      assert.equal((await contextEntries.boost(place)).version, 8, 'no more than all');
      assert.equal((await contextEntries.reduce(place)).importance, 0.9);
      await failure('NOT_FOUND', contextEntries.boost({ ...place, key: 'none' }));

      const query = { contextId: 'c', query: 'owl', threshold: 0 };
      assert.equal((await contextEntries.archive({ ...place, expectedVersion: 9 })).status, 'archived');
      assert.equal((await contextEntries.search(query)).count, 0);
      assert.equal((await contextEntries.list({ contextId: 'c' })).count, 0);
      assert.equal((await contextEntries.list({ contextId: 'c', status: 'archived' })).count, 1);
      assert.equal((await contextEntries.search({ ...query, status: 'all' })).count, 1);
      assert.equal((await contextEntries.get(place))?.status, 'archived');
      assert.equal((await contextEntries.unarchive(place)).status, 'active');
      assert.equal((await contextEntries.search(query)).count, 1);
      await contextEntries.archive(place);
      const revived = await contextEntries.put({ ...place, content: 'The owl hunts at night' });
      assert.deepEqual([revived.status, revived.entry.status], ['updated', 'active']);
    });

    const passing = new ManualClock();
    test(
      'are found by meaning, words, type and tag, while they last',
      async (subject) => {
        const { contextEntries } = subject.as({ ...ALICE, agentId: 'planner' });
        await shared(subject.as({ ...ALICE, agentId: 'planner' }), 'c');
        const entries = [
          { key: 'a', content: 'The heron eats fish', entryType: 'fact', memoryType: 'factual', tags: ['bird'] },
          { key: 'b', content: 'The heron slept', entryType: 'observation', memoryType: 'experiential' },
          { key: 'd', content: 'Watch the heron tomorrow', entryType: 'plan', sourceType: 'workflow' },
        ] as const;
        for (const entry of entries) {
          passing.advance(1000);
          await contextEntries.put({ contextId: 'c', ...entry, tags: 'tags' in entry ? [...entry.tags] : [] });
        }
        const expiresAt = new Date(passing.now() + 60_000).toISOString();
        await contextEntries.put({ contextId: 'c', key: 'e', content: 'The heron is here now', expiresAt });
        const keys = async (input: object): Promise<string> => {
          const { results } = await contextEntries.search({ contextId: 'c', query: 'heron', threshold: 0, ...input });
          return results
            .map(({ entry }) => entry.key)
            .toSorted()
            .join('');
        };
        for (const mode of ['hybrid', 'keyword', 'semantic'] as const) assert.equal(await keys({ mode }), 'abde', mode);
        assert.equal(await keys({ entryType: 'fact' }), 'ae');
        assert.equal(await keys({ memoryType: 'experiential' }), 'b');
        assert.equal(await keys({ sourceType: 'workflow' }), 'd');
        assert.equal(await keys({ tags: ['bird'] }), 'a');
        const { results } = await contextEntries.search({
          contextId: 'c',
          query: 'heron fish',
          limit: 1,
          threshold: 0,
        });
        assert.deepEqual([nth(results).entry.key, nth(results).entry.sourceType], ['a', 'agent']);
        assert.ok(nth(results).entry.effectiveRelevance > 0.49);
        const page = await contextEntries.list({ contextId: 'c', entryType: 'fact', limit: 1 });
        assert.deepEqual([nth(page.entries).key, page.count], ['e', 1]);
        assert.ok(page.nextCursor !== null);
        const next = { contextId: 'c', entryType: 'fact', limit: 1, cursor: page.nextCursor } as const;
        assert.equal(nth((await contextEntries.list(next)).entries).key, 'a');
        passing.advance(60_000);
        assert.equal(await keys({}), 'abd');
        assert.equal(await contextEntries.get({ contextId: 'c', key: 'e' }), null);
        assert.deepEqual(await contextEntries.delete({ contextId: 'c', key: 'e' }), { success: false });
        const anew = { contextId: 'c', key: 'e', content: 'The heron is back', expectedVersion: 0 };
        assert.equal((await contextEntries.put(anew)).status, 'created');
      },
      { clock: passing },
    );

    test('lie apart: no context finds what is elsewhere, and nothing else finds them', async (subject) => {
      const alice = subject.as(ALICE);
      const planner = subject.as({ ...ALICE, agentId: 'planner' });
      const TEXT = 'The secret word is umbrella';
      await shared(alice, 'one');
      await shared(alice, 'two');
      await shared(planner, 'three');
      const ids: string[] = [];
      for (const [contextId, memory] of Object.entries({ one: alice, two: alice, three: planner })) {
        const put = await memory.contextEntries.put({ contextId, key: 'k', content: TEXT, tags: [contextId] });
        assert.equal(put.status, 'created');
        ids.push(put.entry.entryId);
      }
      await alice.add({ content: TEXT, layer: 'user' });
      await planner.add({ content: TEXT, layer: 'agent' });
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        const { results } = await alice.contextEntries.search({ contextId: 'two', query: TEXT, mode, threshold: 0 });
        assert.deepEqual(
          results.map(({ entry }) => entry.entryId),
          [ids[1]],
        );
        for (const memory of [alice, planner, subject.as({ userId: 'bob' })]) {
          const found = await memory.search({
            query: TEXT,
            mode,
            threshold: 0,
            identifiers: { userId: 'alice', agentId: 'planner' },
          });
          assert.ok(found.results.every((result) => !ids.includes(result.memory.id)));
        }
      }
      assertSameMembers(await listed(alice, { layer: 'user', status: 'all' }), [TEXT]);
      assert.equal((await recalled(planner, { query: TEXT, layers: ['agent'] })).length, 1);
      const stranger = '00000000-0000-4000-8000-000000000000';
      for (const memory of [alice, planner, subject.as({ userId: 'bob' })]) {
        for (const id of ids) {
          assert.deepEqual(await memory.get({ id }), { memory: null });
          assert.deepEqual(await memory.delete({ id }), { success: false });
          const absent = await failure('MEMORY_NOT_FOUND', memory.update({ id: stranger, importance: 1 }));
          const hidden = await failure('MEMORY_NOT_FOUND', memory.update({ id, importance: 1 }));
          assert.equal(hidden.message.replaceAll(id, stranger), absent.message);
          await failure('MEMORY_NOT_FOUND', memory.archive({ id }));
          await failure('MEMORY_NOT_FOUND', memory.versions({ id }));
        }
        assert.deepEqual(await memory.forget({ ids }), { deletedCount: 0 });
      }
      assert.deepEqual(await alice.forget({ cutoffDate: '2999-01-01T00:00:00Z' }), { deletedCount: 2 });
      assert.equal((await alice.contextEntries.list({ contextId: 'one' })).count, 1);
      assert.equal((await planner.contextEntries.list({ contextId: 'three' })).count, 1);
    });
  });
}
