/** Contract: snapshots of contexts: what they hold, how they differ, and that going back can be undone. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const CONTEXT = { contextId: 'c' };
const ABSENT = '00000000-0000-4000-8000-000000000000';

/** What the context says: content, importance and metadata by key, of what is in use. */
async function said({ contextEntries }: Memory): Promise<Record<string, unknown>> {
  const { entries } = await contextEntries.list({ ...CONTEXT, limit: 100 });
  return Object.fromEntries(
    entries
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, content, importance, metadata, tags }) => [key, [content, importance, metadata, tags]]),
  );
}

async function versionsOf({ contextEntries }: Memory): Promise<Record<string, number>> {
  const { entries } = await contextEntries.list({ ...CONTEXT, status: 'all', limit: 100 });
  return Object.fromEntries(entries.map(({ key, version }) => [key, version]));
}

export function contextSnapshotsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('context snapshots', () => {
    test('are compared and restored, and a restore is undone', async (subject) => {
      const alice = subject.as(ALICE);
      const { contexts, contextEntries, contextSnapshots } = alice;
      const bob = subject.as({ userId: 'bob' });
      await contexts.create({ ...CONTEXT, type: 'project_context', access: { write: ['bob'] } });
      const put = (key: string, content: string, more: object = {}): Promise<unknown> =>
        contextEntries.put({ ...CONTEXT, key, content, ...more });
      await put('same', 'The sun rises in the east');
      await put('text', 'The river is narrow', { metadata: { a: 1 }, tags: ['water'] });
      await put('weight', 'The hill is steep', { importance: 0.2 });
      await put('away', 'The barn is old');
      await put('gone', 'The ferry runs daily');
      const taken = await contextSnapshots.create({ ...CONTEXT, name: 'spring' });
      assert.deepEqual([taken.name, taken.entryCount, taken.createdBy], ['spring', 5, 'alice']);
      const before = await said(alice);

      await put('text', 'The river is wide', { metadata: { b: 2 }, tags: [], expiresAt: '2999-01-01T00:00:00Z' });
      await contextEntries.boost({ ...CONTEXT, key: 'weight', by: 0.5 });
      await contextEntries.archive({ ...CONTEXT, key: 'away' });
      await contextEntries.delete({ ...CONTEXT, key: 'gone' });
      await put('new', 'The bridge is closed');
      const { snapshotId } = taken;
      const difference = await contextSnapshots.compare({ ...CONTEXT, snapshotId });
      assert.deepEqual(
        difference.added.map(({ key, content }) => [key, content]),
        [['new', 'The bridge is closed']],
      );
      assert.deepEqual(
        difference.removed.map(({ key, content }) => [key, content]),
        [['gone', null]],
      );
      assertSameMembers(
        difference.changed.map(({ key, before: old, after }) =>
          JSON.stringify([key, old.version, old.content, after.version, after.content, after.isArchived]),
        ),
        [
          '["text",1,"The river is narrow",2,"The river is wide",false]',
          '["weight",1,"The hill is steep",2,"The hill is steep",false]',
          '["away",1,"The barn is old",2,"The barn is old",true]',
        ],
      );
      assert.equal(difference.unchangedCount, 1);
      const changed = await said(alice);

      const restored = await bob.contextSnapshots.restore({ ...CONTEXT, snapshotId });
      assertSameMembers(restored.restored, ['text', 'weight', 'away']);
      assert.deepEqual([restored.archived, restored.missing, restored.unchangedCount], [['new'], ['gone'], 1]);
      const { gone: _gone, ...rest } = before;
      assert.deepEqual(await said(alice), rest);
      const text = await contextEntries.get({ ...CONTEXT, key: 'text' });
      assert.deepEqual([text?.version, text?.editedBy, text?.expiresAt], [3, 'bob', undefined]);
      const words = await contextEntries.search({ ...CONTEXT, query: 'narrow', mode: 'keyword', threshold: 0 });
      assert.equal(words.results[0]?.entry.key, 'text');
      assert.equal((await contextSnapshots.compare({ ...CONTEXT, snapshotId })).changed.length, 0);

      const versions = await versionsOf(alice);
      const again = await contextSnapshots.restore({ ...CONTEXT, snapshotId });
      assert.deepEqual(again, {
        undoSnapshotId: null,
        restored: [],
        archived: [],
        missing: ['gone'],
        unchangedCount: 4,
      });
      assert.deepEqual(await versionsOf(alice), versions, 'a second time changes nothing');

      const { undoSnapshotId } = restored;
      assert.ok(undoSnapshotId !== null);
      const undone = await contextSnapshots.restore({ ...CONTEXT, snapshotId: undoSnapshotId });
      assertSameMembers(undone.restored, ['text', 'weight', 'away', 'new']);
      assert.deepEqual(await said(alice), changed);
      const between = await contextSnapshots.compare({ ...CONTEXT, snapshotId, otherSnapshotId: undoSnapshotId });
      assert.deepEqual([between.changed.length, between.after.snapshotId], [3, undoSnapshotId]);

      const { snapshots } = await bob.contextSnapshots.list(CONTEXT);
      assert.equal(snapshots.length, 3);
      assert.match(snapshots.find((each) => each.snapshotId === undoSnapshotId)?.reason ?? '', new RegExp(snapshotId));
      assert.deepEqual(await contextSnapshots.delete({ ...CONTEXT, snapshotId }), { success: true });
      assert.deepEqual(await contextSnapshots.delete({ ...CONTEXT, snapshotId }), { success: false });
      assert.equal(await contextSnapshots.get({ ...CONTEXT, snapshotId }), null);
      await failure('NOT_FOUND', contextSnapshots.restore({ ...CONTEXT, snapshotId }));
      assert.deepEqual(await said(alice), changed);
    });

    test('of another context, another tenant or nowhere are not there, and change nothing', async (subject) => {
      const alice = subject.as(ALICE);
      const { contexts, contextEntries, contextSnapshots } = alice;
      for (const contextId of ['c', 'other']) {
        await contexts.create({ contextId, type: 'project_context' });
        await contextEntries.put({ contextId, key: 'k', content: `It is ${contextId}` });
      }
      const { snapshotId: foreign } = await contextSnapshots.create({ contextId: 'other' });
      const { snapshotId: own } = await contextSnapshots.create(CONTEXT);
      await contextEntries.put({ ...CONTEXT, key: 'k', content: 'It has changed' });
      const twin = subject.as({ ...ALICE, tenantId: '11111111-1111-4111-8111-111111111111' });
      await twin.contexts.create({ ...CONTEXT, type: 'project_context' });
      await twin.contextEntries.put({ ...CONTEXT, key: 'k', content: 'It is elsewhere' });
      const attempts: [Memory, string][] = [
        [alice, foreign],
        [alice, ABSENT],
        [twin, own],
        [subject.as({ userId: 'bob' }), own],
      ];
      for (const [memory, snapshotId] of attempts) {
        assert.equal(await memory.contextSnapshots.get({ ...CONTEXT, snapshotId }), null);
        assert.deepEqual(await memory.contextSnapshots.delete({ ...CONTEXT, snapshotId }), { success: false });
        await failure('NOT_FOUND', memory.contextSnapshots.restore({ ...CONTEXT, snapshotId }));
        await failure('NOT_FOUND', memory.contextSnapshots.compare({ ...CONTEXT, snapshotId }));
      }
      await failure('NOT_FOUND', contextSnapshots.compare({ ...CONTEXT, snapshotId: own, otherSnapshotId: foreign }));
      assert.equal((await contextEntries.get({ ...CONTEXT, key: 'k' }))?.content, 'It has changed');
      assert.equal((await twin.contextEntries.get({ ...CONTEXT, key: 'k' }))?.version, 1);
      const snapshot = await contextSnapshots.get({ ...CONTEXT, snapshotId: own });
      assert.deepEqual(
        snapshot?.items.map(({ key, version, isArchived }) => [key, version, isArchived]),
        [['k', 1, false]],
      );
    });
  });
}
