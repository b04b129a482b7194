/** Contract: contexts are copied, exported and imported without sharing what was not shared. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import { failure } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const NOBODY = { read: [], write: [], publicRead: false };

/** What the entries say, however often they were written. */
async function said(memory: Memory, contextId: string): Promise<unknown[]> {
  const { entries } = await memory.contextEntries.list({ contextId, status: 'all', limit: 100 });
  return entries
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, content, entryType, memoryType, sourceType, metadata, tags, importance, status }) => {
      return { key, content, entryType, memoryType, sourceType, metadata, tags, importance, status };
    });
}

async function furnished(memory: Memory): Promise<void> {
  const { contexts, contextEntries } = memory;
  const access = { read: ['bob'], write: ['carol'] };
  await contexts.create({ contextId: 'src', type: 'knowledge_base', name: 'Source', metadata: { m: 1 }, access });
  const place = { contextId: 'src', key: 'a' };
  await contextEntries.put({ ...place, content: 'The mill grinds corn', entryType: 'decision', metadata: { x: [1] } });
  await contextEntries.put({ ...place, content: 'The mill grinds rye', importance: 0.9, tags: ['mill'] });
  await contextEntries.put({ contextId: 'src', key: 'b', content: 'The well is dry', sourceType: 'tool' });
  await contextEntries.archive({ contextId: 'src', key: 'b' });
}

export function contextCopiesContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('copies of contexts', () => {
    test('are made by whoever may read, and are their own', async (subject) => {
      const [alice, bob, dan] = ['alice', 'bob', 'dan'].map((userId) => subject.as({ userId })) as [
        Memory,
        Memory,
        Memory,
      ];
      await furnished(alice);
      await failure('NOT_FOUND', dan.contexts.clone({ contextId: 'src' }));
      const { context, entryCount } = await bob.contexts.clone({
        contextId: 'src',
        newContextId: 'copy',
        name: 'Copy',
      });
      assert.deepEqual([context.ownerId, context.name, context.metadata, entryCount], ['bob', 'Copy', { m: 1 }, 2]);
      assert.deepEqual(context.access, NOBODY);
      assert.deepEqual(await said(bob, 'copy'), await said(alice, 'src'));
      const copied = await bob.contextEntries.get({ contextId: 'copy', key: 'a' });
      assert.deepEqual([copied?.version, copied?.editedBy], [1, 'bob']);
      assert.equal(await alice.contexts.get({ contextId: 'copy' }), null);
      await bob.contextEntries.put({ contextId: 'copy', key: 'a', content: 'The mill is mine' });
      await bob.contextEntries.delete({ contextId: 'copy', key: 'b' });
      assert.equal((await alice.contextEntries.get({ contextId: 'src', key: 'a' }))?.content, 'The mill grinds rye');
      assert.equal((await alice.contextEntries.list({ contextId: 'src', status: 'all' })).count, 2);
      await failure('VERSION_CONFLICT', bob.contexts.clone({ contextId: 'src', newContextId: 'src' }));
    });

    test('travel as a document, with the past in it, and arrive once however often it is sent', async (subject) => {
      const [alice, bob] = ['alice', 'bob'].map((userId) => subject.as({ userId })) as [Memory, Memory];
      await furnished(alice);
      assert.equal(await subject.as({ userId: 'dan' }).contexts.export({ contextId: 'src' }), null);
      const bundle = await bob.contexts.export({ contextId: 'src' });
      assert.ok(bundle !== null);
      assert.equal(bundle.context.access, undefined, 'who else has access is the owner’s to know');
      assert.deepEqual((await alice.contexts.export({ contextId: 'src' }))?.context.access?.write, ['carol']);
      assert.deepEqual(
        bundle.entries.map(({ key, version, status, versions = [] }) => [
          key,
          version,
          status,
          versions.map((v) => v.content),
        ]),
        [
          ['a', 2, 'active', ['The mill grinds corn']],
          ['b', 2, 'archived', ['The well is dry']],
        ],
      );
      await failure('VERSION_CONFLICT', bob.contexts.import({ bundle }));
      const first = await bob.contexts.import({ contextId: 'mine', bundle });
      assert.deepEqual([first.status, first.entries], ['created', { created: 2, updated: 0, unchanged: 0 }]);
      assert.deepEqual([first.context.ownerId, first.context.access], ['bob', NOBODY]);
      assert.deepEqual(await said(bob, 'mine'), await said(alice, 'src'));
      const again = await bob.contexts.import({ contextId: 'mine', bundle });
      assert.deepEqual([again.status, again.entries], ['existing', { created: 0, updated: 0, unchanged: 2 }]);
      await bob.contextEntries.put({ contextId: 'mine', key: 'a', content: 'The mill stands still' });
      await bob.contextEntries.put({ contextId: 'mine', key: 'z', content: 'Kept' });
      const third = await bob.contexts.import({ contextId: 'mine', bundle });
      assert.deepEqual(third.entries, { created: 0, updated: 1, unchanged: 1 });
      const { entries } = await bob.contextEntries.list({ contextId: 'mine' });
      assert.deepEqual(entries.map(({ content }) => content).toSorted(), ['Kept', 'The mill grinds rye']);

      const [entry] = bundle.entries;
      assert.ok(entry !== undefined);
      const twice = { ...bundle, entries: [entry, entry] };
      await failure('VALIDATION_FAILED', bob.contexts.import({ contextId: 'bad', bundle: twice }));
      const blank = { ...bundle, entries: [entry, { ...entry, key: 'blank', content: ' ' }] };
      await failure('VALIDATION_FAILED', bob.contexts.import({ contextId: 'bad', bundle: blank }));
      assert.equal(await bob.contexts.get({ contextId: 'bad' }), null);
    });
  });
}
