/** Contract: what maintenance does with memory is what it says, can be foreseen, and can be taken back. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ROOT: PrincipalInput = { userId: 'root', roles: ['admin'] };
const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The same to a model, not the same text. */
const SAID = 'the heron flew south for the winter';
const SHOUTED = 'THE HERON FLEW SOUTH FOR THE WINTER';

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

export function maintenanceContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('maintenance', () => {
    test('merges what says the same, of one owner and under one name; a dry run only says so', async (subject) => {
      const [root, alice, bob] = [subject.as(ROOT), subject.as(ALICE), subject.as(BOB)];
      const kept = (await alice.add({ ...user(SAID), tags: ['a'], metadata: { one: 1, both: 1 }, importance: 0.7 }))
        .memory;
      const gone = (
        await alice.add({
          ...user(SHOUTED),
          tags: ['b'],
          metadata: { two: 2, both: 2 },
          importance: 0.6,
          confidence: 0.5,
        })
      ).memory;
      await alice.add({ ...user('Order 17 was shipped'), externalId: '17' });
      await alice.add({ ...user('ORDER 17 WAS SHIPPED'), externalId: 'another' });
      await bob.addMany([user(SHOUTED), user('the owl sits in the oak')]);
      const shared = { userId: 'bob', public: true };
      await bob.semantic.store({ ...shared, content: 'the fox barks at night' });
      await alice.semantic.store({ ...shared, userId: 'alice', content: 'THE FOX BARKS AT NIGHT' });

      // What belongs to all is one thing, whoever said it; the later one stays.
      const wolf = await alice.semantic.store({ content: 'the wolf howls' });
      const louder = await bob.semantic.store({ content: 'THE WOLF HOWLS' });

      const foreseen = await root.maintenance.run({ job: 'deduplication', dryRun: true });
      assert.deepEqual(
        [foreseen.status, foreseen.dryRun, foreseen.counts],
        ['completed', true, { examined: 10, merged: 2, enriched: 0 }],
      );
      assert.deepEqual(foreseen.changes, [
        { action: 'merged', entryId: gone.id, fromVersion: 1, detail: `into ${kept.id}` },
        { action: 'merged', entryId: wolf.id, fromVersion: 1, detail: `into ${louder.id}` },
      ]);
      assert.deepEqual((await alice.get({ id: gone.id })).memory?.status, 'active');

      const run = await root.maintenance.run({ job: 'deduplication' });
      assert.deepEqual([run.status, run.counts], ['completed', { examined: 10, merged: 2, enriched: 2 }]);
      assert.deepEqual(run.changes, [
        { action: 'merged', entryId: gone.id, fromVersion: 1, toVersion: 2, detail: `into ${kept.id}` },
        { action: 'enriched', entryId: kept.id, fromVersion: 1, toVersion: 2, detail: `by ${gone.id}` },
        { action: 'merged', entryId: wolf.id, fromVersion: 1, toVersion: 2, detail: `into ${louder.id}` },
        { action: 'enriched', entryId: louder.id, fromVersion: 1, toVersion: 2, detail: `by ${wolf.id}` },
      ]);
      assertSameMembers(await recalled(alice, { query: SAID, layers: ['user'] }), [
        SAID,
        'Order 17 was shipped',
        'ORDER 17 WAS SHIPPED',
      ]);
      const { memory: survivor } = await alice.get({ id: kept.id });
      assert.deepEqual([survivor?.tags, survivor?.importance, survivor?.confidence], [['a', 'b'], 0.7, 1]);
      assert.deepEqual(survivor?.metadata, { one: 1, both: 1, two: 2 });
      assert.deepEqual(survivor?.provenance, { mergedFrom: [gone.id], runId: run.runId });
      const { memory: archived } = await alice.get({ id: gone.id });
      assert.deepEqual(archived?.provenance, { mergedInto: kept.id, runId: run.runId });
      assert.deepEqual((await root.maintenance.run({ job: 'deduplication' })).counts['merged'], 0);
      await alice.delete({ id: kept.id });
      assert.deepEqual(await alice.get({ id: gone.id }), { memory: null }, 'what was merged goes along');
    });

    test('keeps apart for good all that came together in a merge that was undone', async (subject) => {
      const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
      await alice.addMany([SAID, SHOUTED, 'The Heron Flew South For The Winter'].map(user));
      const run = await root.maintenance.run({ job: 'deduplication' });
      assert.equal(run.counts['merged'], 2);
      assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 3);
      assert.equal((await root.maintenance.run({ job: 'deduplication' })).counts['merged'], 0);
      assert.equal((await listed(alice, { layer: 'user' })).length, 3);
    });

    test('takes back what a run did, for good, but for what was changed since', async (subject) => {
      const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
      const kept = (await alice.add({ ...user(SAID), tags: ['a'], importance: 0.9 })).memory;
      const gone = (await alice.add({ ...user(SHOUTED), tags: ['b'] })).memory;
      const owl = (await alice.add({ ...user('the owl sits in the oak'), importance: 0.9 })).memory;
      const loud = (await alice.add({ ...user('THE OWL SITS IN THE OAK'), tags: ['loud'] })).memory;
      const run = await root.maintenance.run({ job: 'deduplication' });
      assert.equal(run.counts['merged'], 2);
      await alice.update({ id: owl.id, tags: ['mine'] });
      const undone = await root.maintenance.undo({ runId: run.runId });
      assert.deepEqual([undone.run.status, undone.undoneCount], ['undone', 3]);
      assert.deepEqual(undone.kept, [{ entryId: owl.id, reason: 'It was changed since.' }]);
      assert.equal((await listed(alice, { layer: 'user' })).length, 4);
      const [back, survivor] = [(await alice.get({ id: gone.id })).memory, (await alice.get({ id: kept.id })).memory];
      assert.deepEqual([back?.status, back?.tags, back?.version], ['active', ['b'], 3]);
      assert.deepEqual([survivor?.tags, survivor?.version, survivor?.provenance], [['a'], 3, undefined]);
      assert.deepEqual((await alice.get({ id: owl.id })).memory?.tags, ['mine']);
      assert.deepEqual((await alice.get({ id: loud.id })).memory?.status, 'active');
      assert.equal((await root.maintenance.run({ job: 'deduplication' })).counts['merged'], 0, 'apart for good');
      assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 3, 'twice is once');
    });

    const clock = new ManualClock();
    test(
      'removes what has expired, so that nothing is left',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
        const expiresAt = new Date(clock.now() + HOUR_MS).toISOString();
        const kept = (await alice.add(user('the owl sits in the oak'))).memory;
        const over = (await alice.add({ ...user(SAID), expiresAt })).memory;
        await alice.update({ id: over.id, content: SHOUTED });
        const pool = await alice.pools.create({ poolId: 'p', type: 'shared', scope: 'account', expiresAt });
        assert.equal((await root.maintenance.run({ job: 'expiry' })).counts['removed'], 0);
        clock.advance(HOUR_MS);
        const foreseen = await root.maintenance.run({ job: 'expiry', dryRun: true });
        assert.deepEqual(foreseen.counts, { removed: 1, pools: 1, state: 0 });
        const run = await root.maintenance.run({ job: 'expiry' });
        assert.deepEqual([run.counts['removed'], run.counts['pools']], [1, 1]);
        assert.deepEqual(run.changes, [
          { action: 'removed', entryId: over.id },
          { action: 'removed', detail: 'pool p' },
        ]);
        const again = await root.maintenance.run({ job: 'expiry' });
        assert.deepEqual(again.counts, { removed: 0, pools: 0, state: 0 });
        assert.deepEqual(await listed(alice, { layer: 'user', status: 'all' }), [kept.content]);
        assert.equal((await alice.pools.create({ poolId: pool.poolId, type: 'shared', scope: 'account' })).poolId, 'p');
        const { texts } = subject.embedder;
        await alice.addMany([user(SAID), user(SHOUTED)]);
        assert.equal(subject.embedder.texts, texts + 2, 'vectors of what is gone are not kept');
        await failure('VALIDATION_FAILED', root.maintenance.undo({ runId: run.runId }));
      },
      { clock },
    );

    const later = new ManualClock();
    test(
      'promotes short-term memory that was read often, also what is over, and nothing else',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
        const place = { sessionId: 's' };
        const contents = ['Ada likes green tea', 'The build takes nine minutes', 'The door is blue'];
        for (const [key, value] of contents.entries()) {
          await alice.shortTerm.write({ ...place, key: String(key), value, ttlSeconds: key === 0 ? 60 : 7200 });
          for (let read = 0; read < (key === 2 ? 2 : 3); read += 1)
            await alice.shortTerm.get({ ...place, key: String(key) });
        }
        later.advance(HOUR_MS);
        assert.equal(await alice.shortTerm.get({ ...place, key: '0' }), null);
        const foreseen = await root.maintenance.run({ job: 'consolidation', dryRun: true });
        assert.equal(foreseen.counts['promoted'], 2);
        assertSameMembers(
          foreseen.changes.map(({ detail = '' }) => detail),
          ['from s/0', 'from s/1'],
        );
        const run = await root.maintenance.run({ job: 'consolidation' });
        assert.deepEqual([run.status, run.counts], ['completed', { examined: 2, promoted: 2, created: 2 }]);
        assertSameMembers(await recalled(alice, { query: 'tea build door' }), contents.slice(0, 2));
        const promoted = (await alice.get({ id: nth(run.changes).entryId ?? '' })).memory;
        assert.equal(promoted?.provenance?.runId, run.runId);
        assert.equal((await root.maintenance.run({ job: 'consolidation' })).counts['promoted'], 0);
        assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 2);
        assert.deepEqual(await recalled(alice, { query: 'tea build door' }), []);
      },
      { clock: later },
    );

    const muchLater = new ManualClock();
    test(
      'archives what nobody used in a context for a hundred days, and takes it back',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
        const contextId = 'field-notes';
        await alice.contexts.create({ contextId, type: 'agent_memory', scope: 'account' });
        for (const [key, importance] of Object.entries({ old: 0.5, weighty: 1, alive: 0.5 })) {
          await alice.contextEntries.put({ contextId, key, content: `the ${key} heron flew south`, importance });
        }
        const outside = (await alice.add(user(SAID))).memory;
        muchLater.advance(60 * DAY_MS);
        await alice.contextEntries.put({ contextId, key: 'alive', content: 'the alive heron flew north' });
        muchLater.advance(50 * DAY_MS);
        assert.equal((await root.maintenance.run({ job: 'context_rot', dryRun: true })).counts['archived'], 1);
        const keys = async (): Promise<string[]> =>
          (await alice.contextEntries.list({ contextId })).entries.map(({ key }) => key);
        assertSameMembers(await keys(), ['alive', 'old', 'weighty']);
        const run = await root.maintenance.run({ job: 'context_rot' });
        assert.deepEqual([run.status, run.counts], ['completed', { examined: 3, archived: 1 }]);
        assertSameMembers(await keys(), ['alive', 'weighty']);
        assert.equal((await alice.get({ id: outside.id })).memory?.status, 'active');
        assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 1);
        assertSameMembers(await keys(), ['alive', 'old', 'weighty']);
      },
      { clock: muchLater },
    );

    test('is for administrators, and tells of every run', async (subject) => {
      const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
      await failure('FORBIDDEN', alice.maintenance.run({ job: 'integrity' }));
      await failure('FORBIDDEN', alice.maintenance.runs({}));
      const { message } = await failure('VALIDATION_FAILED', root.maintenance.run({ job: 'tidying' as 'expiry' }));
      assert.match(message, /consolidation.*deduplication.*expiry.*context_rot.*integrity/);
      await alice.add(user(SAID));
      const audited = await root.maintenance.run({ job: 'integrity' });
      assert.deepEqual(audited.counts, { examined: 1, tampered: 0, unindexed: 0 });
      const rot = await root.maintenance.run({ job: 'context_rot', dryRun: true });
      assert.deepEqual(await root.maintenance.get({ runId: rot.runId }), rot);
      const first = await root.maintenance.runs({ limit: 1 });
      assert.deepEqual([first.count, first.runs], [1, [rot]]);
      const second = await root.maintenance.runs({ limit: 1, cursor: first.nextCursor ?? '' });
      assert.deepEqual([second.runs, second.nextCursor], [[audited], null]);
      assert.deepEqual((await root.maintenance.runs({ job: 'integrity', status: 'completed' })).runs, [audited]);
      assert.equal((await root.maintenance.runs({ status: 'failed' })).count, 0);
      await failure('VALIDATION_FAILED', root.maintenance.undo({ runId: rot.runId }));
      const nothing = '11111111-1111-4111-8111-111111111111';
      assert.equal(await root.maintenance.get({ runId: nothing }), null);
      await failure('NOT_FOUND', root.maintenance.undo({ runId: nothing }));
      await failure('FORBIDDEN', alice.maintenance.get({ runId: rot.runId }));
    });
  });
}
