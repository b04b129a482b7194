/** Contract: memories fade, are merged, distilled, promoted and cleaned up as configured, and nothing of it is lost unsaid. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ROOT: PrincipalInput = { userId: 'root', roles: ['admin'] };
const ALICE: PrincipalInput = { userId: 'alice' };
const DAY_MS = 86_400_000;

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

async function read(memory: Memory, id: string): Promise<Entry> {
  const { memory: entry } = await memory.get({ id });
  assert.ok(entry !== null, `${id} is not there`);
  return entry;
}

/** Accesses are counted soon, not at once. */
async function whenAccessed(memory: Memory, id: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const { memories } = await memory.list({ layer: 'user' });
    if ((memories.find((entry) => entry.id === id)?.accessCount ?? 0) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('the access was never counted');
}

export function lifecycleContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('lifecycle', () => {
    const clock = new ManualClock();
    test(
      'fades what nobody uses, tells so when it is read, and archives it; what is used stays',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
        const identifiers = { projectId: 'p' };
        const unused = (await alice.add(user('the unused heron flew south'))).memory;
        const used = (await alice.add(user('the used heron flew south'))).memory;
        const slow = (await alice.add({ ...user('the slow heron flew south'), decayFactor: 0.1 })).memory;
        const exempt = (await alice.add({ content: 'the exempt heron flew south', layer: 'project', identifiers }))
          .memory;
        clock.advance(14 * DAY_MS);
        await read(alice, used.id);
        await whenAccessed(alice, used.id);
        clock.advance(16 * DAY_MS);
        const { memories } = await alice.list({ layer: 'user' });
        const relevances = new Map(memories.map((entry) => [entry.id, entry.currentRelevance ?? -1]));
        assert.ok(Math.abs((relevances.get(unused.id) ?? 0) - 0.95 ** 30) < 1e-9, 'the formula of the specification');
        assert.ok(Math.abs((relevances.get(slow.id) ?? 0) - 0.995 ** 30) < 1e-9, 'its own share of it');
        assert.ok(
          Math.abs((relevances.get(used.id) ?? 0) - 0.95 ** (16 / 1.25)) < 1e-9,
          'since it was read, and slower',
        );
        const { results } = await alice.search({
          query: 'the heron flew south',
          identifiers: { userId: 'alice', ...identifiers },
          threshold: 0,
          rank: 'relevance',
        });
        assert.equal(nth(results, -1).memory.id, unused.id, 'what has faded comes last');
        assert.equal(nth(results, -1).memory.status, 'decayed');
        assert.deepEqual(
          results.filter(({ signals }) => signals.relevance === undefined).map(({ memory }) => memory.id),
          [exempt.id],
        );
        const { memories: shelved } = await alice.list({ layer: 'user', status: 'archived' });
        assert.deepEqual(shelved, [], 'a search rewrites nothing');
        assert.equal((await root.maintenance.run({ job: 'decay', dryRun: true })).counts['archived'], 1);
        const run = await root.maintenance.run({ job: 'decay' });
        assert.deepEqual([run.status, run.counts], ['completed', { examined: 3, archived: 1 }]);
        assert.deepEqual(await listed(alice, { layer: 'user', status: 'archived' }), [unused.content]);
        assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 1);
        assert.deepEqual(
          [(await read(alice, unused.id)).status, (await read(alice, unused.id)).version],
          ['active', 3],
        );
        assert.equal((await root.maintenance.run({ job: 'decay' })).counts['archived'], 0, 'undone for good');
      },
      {
        clock,
        lifecycle: { decay: { enabled: true, ratePerDay: 0.05, archiveThreshold: 0.25, exemptLayers: ['project'] } },
      },
    );

    const HERONS = ['one', 'two', 'three'].map((name) => `the heron flew south for the winter again, ${name}`);
    const consolidation = { enabled: true, maxMemoriesBeforeTrigger: 4, similarityThreshold: 0.75 };
    test(
      'merges similar memories of a place that holds too many into the most central one, and takes them back',
      async (subject) => {
        const [root, alice, bob] = [subject.as(ROOT), subject.as(ALICE), subject.as({ userId: 'bob' })];
        const others = ['Ada likes green tea', 'the build takes nine minutes'];
        const outputs = await alice.addMany([...HERONS, ...others].map(user));
        await alice.add({ ...user(`${HERONS[0]} by name`), externalId: 'mine' });
        await bob.addMany(HERONS.map(user));
        const foreseen = await root.maintenance.run({ job: 'merging', dryRun: true });
        assert.deepEqual([foreseen.counts['places'], foreseen.counts['merged']], [1, 2]);
        const run = await root.maintenance.run({ job: 'merging' });
        assert.deepEqual(run.counts, { places: 1, merged: 2, kept: 1, summarised: 0, fallbacks: 0 });
        const kept = await read(alice, run.changes.find(({ action }) => action === 'kept')?.entryId ?? '');
        const herons = outputs.slice(0, 3).map(({ memory }) => memory.id);
        const sources = herons.filter((id) => id !== kept.id);
        assertSameMembers(kept.provenance?.mergedFrom ?? [], sources);
        assert.ok(HERONS.includes(kept.content), 'its text is as it was');
        for (const id of sources) assert.equal((await read(alice, id)).provenance?.mergedInto, kept.id);
        assertSameMembers(await listed(alice, { layer: 'user' }), [kept.content, `${HERONS[0]} by name`, ...others]);
        assert.equal((await listed(bob, { layer: 'user' })).length, 3, 'his place holds few enough');
        assert.equal((await root.maintenance.undo({ runId: run.runId })).undoneCount, 3);
        assert.equal((await listed(alice, { layer: 'user' })).length, 6);
        assert.equal((await root.maintenance.run({ job: 'merging' })).counts['merged'], 0, 'apart for good');
      },
      { lifecycle: { consolidation, deduplication: { by: 'meaning' } } },
    );

    test(
      'makes knowledge of episodes that matter, which goes with the episode that is deleted',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as({ ...ALICE, agentId: 'helper' })];
        const log = async (
          content: string,
          importance: number,
          sensitivity: 'internal' | 'confidential' = 'internal',
        ) => alice.add({ content, layer: 'agent', kind: 'episodic', importance, sensitivity });
        const { memory: episode } = await log('Ada moved to Lisbon', 0.9);
        await log('Ada said hello', 0.3);
        await log('Ada earns 1200', 0.9, 'confidential');
        const { memory: again } = await log('Ada moved to Lisbon', 0.9);
        const run = await root.maintenance.run({ job: 'distillation' });
        assert.deepEqual(run.counts, { examined: 4, distilled: 2, blocked: 1, fallbacks: 0 });
        const knowledge = async (): Promise<Entry[]> =>
          (await alice.list({ layer: 'agent', kinds: ['semantic'] })).memories;
        const known = nth(await knowledge());
        assert.deepEqual([known.content, known.visibility], ['Ada moved to Lisbon', 'private']);
        assertSameMembers(known.provenance?.derivedFrom ?? [], [episode.id, again.id]);
        assert.equal((await read(alice, episode.id)).provenance?.distilledInto, known.id);
        assert.equal((await root.maintenance.run({ job: 'distillation' })).counts['distilled'], 0);
        await alice.delete({ id: episode.id });
        assert.deepEqual(await knowledge(), [], 'what was made of it goes with it');
        assert.equal((await root.maintenance.run({ job: 'distillation' })).counts['distilled'], 1, 'of what is left');
        await alice.delete({ id: nth(await knowledge()).id });
        assert.equal((await read(alice, again.id)).status, 'active', 'but not the other way round');
      },
      { lifecycle: { consolidation } },
    );

    const later = new ManualClock();
    test(
      'promotes the important memories of a session that ends, and removes the rest in time',
      async (subject) => {
        const [root, alice] = [subject.as(ROOT), subject.as(ALICE)];
        const sessionId = 's1';
        await alice.sessions.create({ sessionId });
        const place = { layer: 'session', identifiers: { userId: 'alice', sessionId } } as const;
        const contents = ['Ada was born in May, write to ada@example.org', 'Ada said hello', 'Ada earns 1200'];
        const importances = [0.9, 0.2, 0.9];
        const added = await alice.addMany(
          contents.map((content, at) => ({
            ...place,
            content,
            // An occurrence: nothing but the mark tells that it was promoted already.
            ...(at === 0 && { kind: 'episodic' as const }),
            importance: importances[at] ?? 0,
            ...(at === 2 && { sensitivity: 'restricted' as const }),
          })),
        );
        const ends = await Promise.all([1, 2, 3].map(() => alice.sessions.update({ sessionId, ended: true })));
        const promoted = ends.reduce((sum, { cleanUp }) => sum + (cleanUp?.promoted ?? 0), 0);
        assert.equal(promoted, 1, 'once, and counted once');
        assert.deepEqual(nth(ends).cleanUp?.blocked, 1);
        assert.deepEqual(await listed(alice, { layer: 'user' }), [contents[0]], 'as it is: it stays the user’s own');
        const marked = await read(alice, nth(added).memory.id);
        assert.equal(marked.version, 2);
        assert.equal((await alice.update({ id: marked.id, tags: ['born'] })).memory.version, 3, 'it can be changed');
        assert.equal((await alice.sessions.update({ sessionId, ended: true })).cleanUp?.promoted, 0);
        assert.equal((await root.maintenance.run({ job: 'session_cleanup' })).counts['removed'], 0);
        later.advance(7 * DAY_MS);
        assert.equal((await root.maintenance.run({ job: 'session_cleanup', dryRun: true })).counts['removed'], 3);
        const run = await root.maintenance.run({ job: 'session_cleanup' });
        assert.deepEqual(run.counts, { sessions: 1, promoted: 0, blocked: 1, removed: 3 });
        assert.deepEqual(await recalled(alice, { query: 'Ada', identifiers: place.identifiers }), [contents[0]]);
        assert.notEqual(await alice.sessions.get({ sessionId }), null, 'the session itself is kept');
      },
      { clock: later, lifecycle: { sessionCleanup: { autoDelete: true, promoteImportant: true } } },
    );

    test('promotes a memory to a shared layer without what is personal or secret, and nothing confidential', async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as({ userId: 'bob' })];
      const own = (
        await alice.add({
          ...user('Ask ada@example.org or call +49 171 2345678, password=hunter2'),
          metadata: { from: 'ada@example.org', token: 'x' },
          tags: ['ada@example.org'],
        })
      ).memory;
      const target = { layer: 'project', identifiers: { projectId: 'p' } } as const;
      const promotion = await alice.promote({ id: own.id, ...target });
      assert.deepEqual(promotion.redactions, { email: 3, phone: 1, secret: 2 });
      const seen = await read(bob, promotion.memory.id);
      assert.equal(seen.content, 'Ask [email] or call [phone], password=[secret]');
      assert.deepEqual([seen.metadata, seen.tags], [{ from: '[email]', token: '[secret]' }, ['[email]']]);
      assert.deepEqual([seen.ownerId, seen.provenance], [null, { promotedFromEntry: own.id }]);
      assert.deepEqual((await read(alice, own.id)).content, own.content, 'the memory itself stays as it is');
      assert.equal((await alice.promote({ id: own.id, ...target })).status, 'unchanged');
      await alice.update({ id: promotion.memory.id, validTo: '2026-01-01T00:00:00Z' });
      assert.equal((await alice.promote({ id: own.id, ...target })).status, 'unchanged', 'also where it has ended');
      await failure('MEMORY_NOT_FOUND', bob.promote({ id: own.id, ...target }));
      await failure('VALIDATION_FAILED', alice.promote({ id: promotion.memory.id, layer: 'user' }));
      await failure(
        'MISSING_IDENTIFIER',
        alice.promote({ id: own.id, layer: 'team', identifiers: { userId: 'alice' } }),
      );
      await failure('VERSION_CONFLICT', alice.promote({ id: own.id, ...target, expectedVersion: 7 }));
      const secret = (await alice.add({ ...user('Ada earns 1200'), sensitivity: 'confidential' })).memory;
      const { details } = await failure('FORBIDDEN', alice.promote({ id: secret.id, ...target }));
      assert.deepEqual(details, { sensitivity: 'confidential', blocked: 1 });
      assert.equal((await listed(bob, { ...target })).length, 1);
    });
  });
}
