/** Contract: the OpenSpec protocol is another way to the same entries, for the same people and nobody else. */

import assert from 'node:assert/strict';
import { ACCESS_POLICIES } from '../domain/openspec.ts';
import type { KnowledgeEvent } from '../domain/openspec-query.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { assertSameMembers, failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

/** One that does not come at all must not hang a test. */
const PATIENCE_MS = 20_000;

type Query = OperationOutput<'openspec.query'>;

const query = ({ openspec }: Memory, input: Omit<OperationInput<'openspec.query'>, 'query'>): Promise<Query> =>
  openspec.query({ query: 'kettle', ...input, options: { limit: 100, distanceThreshold: 2, ...input.options } });

const contents = ({ results }: Query): string[] => results.flatMap(({ entry }) => entry.content ?? []);

async function take({ openspec }: Memory, count: number, after: string): Promise<KnowledgeEvent[]> {
  const taken: KnowledgeEvent[] = [];
  for await (const event of openspec.stream({ after, signal: AbortSignal.timeout(PATIENCE_MS) })) {
    if (taken.push(event) === count) return taken;
  }
  return assert.fail(`${taken.length} events came instead of ${count}: ${JSON.stringify(taken)}`);
}

const create = async (
  { openspec }: Memory,
  content: string,
  entry: Partial<OperationInput<'openspec.create'>['entry']> = {},
): Promise<OperationOutput<'openspec.create'>['entry']> =>
  (await openspec.create({ entry: { content, ...entry } })).entry;

export function openspecContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  runner.describe('the OpenSpec protocol', () => {
    test('gives back what it was given, and every policy lies where it should', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const metadata = { title: 'On kettles', author: 'ada', tags: ['tea'], confidence: 0.5, custom: { n: 1 } };
      const source = { type: 'wiki page', identifier: 'https://wiki/1', version: 'r7', providerId: 'wiki' };
      for (const accessPolicy of ACCESS_POLICIES) {
        const made = await create(alice, `The kettle is ${accessPolicy}.`, { metadata, source, accessPolicy });
        assert.deepEqual(made.metadata, { ...metadata, importance: 0.5 });
        assert.deepEqual([made.source, made.accessPolicy, made.version], [source, accessPolicy, 1]);
        const isSeen = (await bob.get({ id: made.id })).memory !== null;
        assert.equal(isSeen, !['private', 'restricted'].includes(accessPolicy), accessPolicy);
        const change = bob.openspec.update({ id: made.id, entry: { metadata: { title: 'Mine' } } });
        const refusal = { private: 'MEMORY_NOT_FOUND', restricted: 'MEMORY_NOT_FOUND', shared: 'FORBIDDEN' } as const;
        if (accessPolicy in refusal) await failure(refusal[accessPolicy as keyof typeof refusal], change);
        else assert.equal((await change).entry.metadata.title, 'Mine');
        for (const [who, asked] of [alice, bob].entries()) {
          const found = contents(await query(asked, { filters: { accessPolicy } }));
          assert.deepEqual(found, who === 0 || isSeen ? [`The kettle is ${accessPolicy}.`] : [], accessPolicy);
        }
      }
    });

    test('moves an entry with its policy, and takes nothing from everyone', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const { id } = await create(alice, 'The kettle leaks.', { metadata: { author: 'ada' } });
      const moved = async (accessPolicy: (typeof ACCESS_POLICIES)[number]): Promise<boolean> => {
        const { entry } = await alice.openspec.update({ id, entry: { accessPolicy } });
        assert.equal(entry.accessPolicy, accessPolicy);
        return (await query(bob, {})).results.length === 1;
      };
      assert.deepEqual([await moved('shared'), await moved('restricted')], [true, false]);
      for (const accessPolicy of ['shared', 'organization', 'public'] as const) {
        const { details } = await failure('FORBIDDEN', alice.openspec.update({ id, entry: { accessPolicy } }));
        assert.deepEqual(details, { sensitivity: 'restricted', blocked: 1 });
      }
      assert.deepEqual(
        [await moved('private'), await moved('shared'), await moved('organization')],
        [false, true, true],
      );
      await failure('FORBIDDEN', alice.openspec.update({ id, entry: { accessPolicy: 'private' } }));
      const { versionHistory } = await alice.openspec.metadata({ id });
      assert.deepEqual(
        versionHistory.map(({ version }) => version),
        [6, 5, 4, 3, 2, 1],
      );
      // What was private while it stood stays so.
      assert.ok((await bob.openspec.metadata({ id })).versionHistory.length < 6);
      await create(alice, 'The kettle sings.', { accessPolicy: 'organization' });
      const twin = await create(alice, 'The kettle sings.');
      await failure(
        'VERSION_CONFLICT',
        alice.openspec.update({ id: twin.id, entry: { accessPolicy: 'organization' } }),
      );
      await failure('VERSION_CONFLICT', alice.openspec.update({ id, entry: {}, expectedVersion: 1 }));
    });

    test('looks where it is told to: layers, classes of storage, filters', async (subject) => {
      const alice = subject.as({ userId: 'alice' });
      const own = await create(alice, 'The kettle is mine.', { source: { type: 'import', identifier: 'a' } });
      const wiki = { type: 'wiki', identifier: 'b' };
      const ours = await create(alice, 'The kettle is ours.', { accessPolicy: 'organization', source: wiki });
      await alice.add({ content: 'I filled the kettle.', layer: 'user', kind: 'episodic' });
      await alice.add({ content: 'The kettle of the project.', layer: 'project', identifiers: { projectId: 'p' } });
      const old = await create(alice, 'The kettle was red.');
      await alice.archive({ id: old.id });
      const found = async (
        layer?: OperationInput<'openspec.query'>['layer'],
        filters: OperationInput<'openspec.query'>['filters'] = {},
      ): Promise<string[]> => contents(await query(alice, { ...(layer && { layer }), filters }));
      const [mine, all] = ['The kettle is mine.', ['The kettle is ours.', 'I filled the kettle.']];
      assertSameMembers(await found(), [mine, ...all]);
      assertSameMembers(await found({ types: ['Semantic'] }), [mine, 'The kettle is ours.']);
      assertSameMembers(await found({ types: ['UserPersonal'] }), [mine, 'I filled the kettle.']);
      assertSameMembers(await found({ types: ['Archival', 'company'] }), [
        'The kettle was red.',
        'The kettle is ours.',
      ]);
      assertSameMembers(await found({ types: ['project'], projectId: 'p' }), ['The kettle of the project.']);
      await failure('MISSING_IDENTIFIER', found({ types: ['project'] }));
      assertSameMembers(await found({}, { sourceType: 'wiki' }), ['The kettle is ours.']);
      assertSameMembers(await found({}, { sourceType: 'import' }), [mine]);
      const before = own.createdAt < ours.createdAt ? [mine] : [];
      assertSameMembers(await found({ types: ['Semantic'] }, { createdBefore: ours.createdAt }), before);
      assert.deepEqual(await found({ types: ['Semantic'] }, { createdAfter: '2999-01-01T00:00:00Z' }), []);
      const state = await query(alice, { layer: { types: ['Working'] } });
      assert.equal(state.results.length, 0);
      assert.match(nth(state.metadata.warnings ?? []), /cannot be searched/);
      const shared = subject.as({ userId: 'bob' });
      assert.deepEqual(contents(await query(shared, { layer: { types: ['user'], userId: 'alice' } })), []);
    });

    test('streams entries to those who see them, after a position, once and in order', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const { position } = await bob.events.position({});
      const secret = await create(alice, 'My diary.');
      const taken = await create(alice, 'My address.', { accessPolicy: 'shared' });
      await alice.openspec.update({ id: taken.id, entry: { accessPolicy: 'private', content: 'My new address.' } });
      const gone = await create(alice, 'A rumour.', { accessPolicy: 'organization' });
      await alice.openspec.delete({ id: gone.id });
      const last = await create(alice, 'The end.', { accessPolicy: 'organization' });
      const seen = await take(bob, 5, position);
      assert.deepEqual(
        seen.map(({ type, entryId, entry }) => [type, entryId, entry?.content]),
        [
          ['created', taken.id, undefined],
          ['updated', taken.id, undefined],
          ['created', gone.id, undefined],
          ['deleted', gone.id, undefined],
          ['created', last.id, 'The end.'],
        ],
      );
      assert.doesNotMatch(JSON.stringify(seen), /diary|address|rumour/i);
      assert.deepEqual(await take(bob, 2, nth(seen, 2).id), seen.slice(3));
      assert.deepEqual(
        (await take(alice, 2, position)).map(({ entryId, entry }) => [entryId, entry?.content]),
        [
          [secret.id, 'My diary.'],
          [taken.id, 'My new address.'],
        ],
      );
    });

    test('does a batch in order, and tells what became of each', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
      const foreign = await create(bob, 'Of Bob.', { accessPolicy: 'shared' });
      const entries = [
        { content: 'One.' },
        { content: ' ' },
        { id: 'no uuid', content: 'Two.' },
        { content: 'Three.' },
      ];
      const partly = await alice.openspec.batch({ operation: 'create', entries, options: { continueOnError: true } });
      assert.equal(partly.status, 'completed');
      assert.deepEqual([partly.results.succeeded, partly.results.failed], [2, 2]);
      assert.deepEqual(
        partly.results.errors.map(({ index, code }) => [index, code]),
        [
          [1, 'VALIDATION_FAILED'],
          [2, 'VALIDATION_FAILED'],
        ],
      );
      const [one, three] = partly.results.entries.map(({ id }) => id);
      assert.ok(one !== undefined && three !== undefined);
      const stopped = await alice.openspec.batch({
        operation: 'update',
        entries: [
          { id: one, content: 'One!' },
          { id: foreign.id, content: 'Mine.' },
          { id: three, content: 'Three!' },
        ],
      });
      assert.deepEqual([stopped.status, stopped.results.succeeded, stopped.results.failed], ['failed', 1, 1]);
      assert.equal(nth(stopped.results.errors).code, 'FORBIDDEN');
      const upserted = await alice.openspec.batch({
        operation: 'upsert',
        entries: [{ id: three, entry: { content: 'Three?' } }, { content: 'Four.' }],
      });
      assert.deepEqual(
        upserted.results.entries.map(({ status }) => status),
        ['updated', 'created'],
      );
      const { memories } = await alice.list({ layer: 'user' });
      assertSameMembers(
        memories.map(({ content }) => content),
        ['One!', 'Three?', 'Four.'],
      );
      const deletion = { operation: 'delete', options: { continueOnError: true } } as const;
      const deleted = await alice.openspec.batch({
        ...deletion,
        entries: [{ id: foreign.id }, { id: one }, { id: one }],
      });
      assert.deepEqual(
        deleted.results.errors.map(({ code }) => code),
        ['FORBIDDEN', 'MEMORY_NOT_FOUND'],
      );
      assert.equal(await alice.openspec.delete({ id: one }), null);
    });
  });
}
