/** Contract: a set of knowledge is brought in line, a second run changes nothing, and what is gone is only marked. */

import assert from 'node:assert/strict';
import { KNOWLEDGE_KEYS } from '../domain/knowledge.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { failure, listed, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const PLACE = { layer: 'project', identifiers: { projectId: 'p' } } as const;

type Item = OperationInput<'knowledge.sync'>['items'][number];

const item = (sourceId: string, content: string, more: Partial<Item> = {}): Item => ({
  sourceType: 'adr',
  sourceId,
  content,
  ...more,
});

const sync = (
  { knowledge }: Memory,
  items: Item[],
  more: Partial<OperationInput<'knowledge.sync'>> = {},
): Promise<OperationOutput<'knowledge.sync'>> => knowledge.sync({ set: 'decisions', ...PLACE, items, ...more });

const countsOf = ({ counts }: OperationOutput<'knowledge.sync'>): number[] => [
  counts.created,
  counts.updated,
  counts.unchanged,
  counts.orphaned,
];

export function knowledgeContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  runner.describe('syncing knowledge', () => {
    test('adds, updates and marks, and a second run changes nothing', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const first = [
        item('1', 'Use PostgreSQL.', { title: 'Databases' }),
        item('2', 'Use tabs.'),
        item('3', 'Use tabs.'),
      ];
      const dry = await sync(alice, first, { dryRun: true });
      assert.deepEqual(countsOf(dry), [3, 0, 0, 0]);
      assert.deepEqual(await listed(alice, PLACE), []);
      const made = await sync(alice, first);
      assert.deepEqual(countsOf(made), [3, 0, 0, 0]);
      const id = nth(made.items).id ?? '';
      const { memory } = await bob.get({ id });
      assert.deepEqual(
        [memory?.source, memory?.metadata['title']],
        [{ type: 'knowledge_sync', reference: '1' }, 'Databases'],
      );
      assert.match(memory?.knowledgePointer?.contentHash ?? '', /^sha256:[0-9a-f]{64}$/);
      assert.equal(subject.embedder.texts, 2);

      assert.deepEqual(countsOf(await sync(bob, first)), [0, 0, 3, 0]);
      assert.deepEqual((await bob.get({ id })).memory?.knowledgePointer, memory?.knowledgePointer);
      assert.equal((await bob.get({ id })).memory?.version, 1);

      const second = [item('1', 'Use PostgreSQL 17.'), item('2', 'Use tabs.', { tags: ['style'] })];
      for (const dryRun of [true, false])
        assert.deepEqual(countsOf(await sync(alice, second, { dryRun })), [0, 2, 0, 1]);
      const again = await sync(alice, second);
      assert.deepEqual(countsOf(again), [0, 0, 2, 0]);
      assert.deepEqual(
        again.orphans.map(({ sourceId, status }) => [sourceId, status]),
        [['3', 'unchanged']],
      );
      const orphan = nth(again.orphans).id ?? '';
      const orphans = { ...PLACE, filter: { custom: { [KNOWLEDGE_KEYS.status]: 'orphaned' } } };
      assert.deepEqual(await listed(bob, orphans), ['Use tabs.']);
      assert.deepEqual(countsOf(await sync(alice, first)), [0, 2, 0, 0].with(2, 1));
      assert.equal((await alice.get({ id: orphan })).memory?.metadata[KNOWLEDGE_KEYS.orphanedAt], null);
      assert.deepEqual(await listed(bob, orphans), []);
    });

    test('keeps to its set and its place, archives where asked to, and refuses as a whole', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      await sync(alice, [item('1', 'Of the other set.')], { set: 'other' });
      await sync(bob, [item('1', "Bob's own.")], { layer: 'user', identifiers: { userId: 'bob' } });
      const { items } = await sync(alice, [
        item('1', 'Of the project.'),
        item('2', 'Of the team.', { layer: 'team', identifiers: { teamId: 't' } }),
      ]);
      const gone = await sync(alice, [item('2', 'Of the team.', { layer: 'team', identifiers: { teamId: 't' } })], {
        orphans: 'archive',
      });
      assert.deepEqual(countsOf(gone), [0, 0, 1, 1]);
      assert.equal(nth(gone.orphans).id, nth(items).id);
      assert.deepEqual(await listed(alice, PLACE), ['Of the other set.']);
      assert.deepEqual(await listed(alice, { ...PLACE, status: 'archived' }), ['Of the project.']);
      assert.deepEqual(countsOf(await sync(alice, [], { orphans: 'archive' })), [0, 0, 0, 0]);
      assert.deepEqual(countsOf(await sync(alice, [item('1', 'Of the project.')])), [0, 1, 0, 0]);

      await failure('VALIDATION_FAILED', sync(alice, [item('8', 'New.'), item('9', ' ')]));
      await failure('VALIDATION_FAILED', sync(alice, [item('8', 'New.'), item('8', 'Newer.')]));
      await failure('FORBIDDEN', sync(alice, [item('8', 'New.')], { layer: 'user', identifiers: { userId: 'bob' } }));
      assert.ok(!(await listed(alice, PLACE)).includes('New.'));
    });
  });
}
