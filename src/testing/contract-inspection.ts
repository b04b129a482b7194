/** Contract: whoever looks at memory from outside sees how much there is, what is near, what came of what, and nothing else. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationOutput } from '../operations/table.ts';
import { assertSameMembers, failure, nth } from './contract-assertions.ts';
import { memoryTest, type MemoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedModel } from './scripted-model.ts';

const ROOT: PrincipalInput = { userId: 'root', roles: ['admin'] };
const ALICE: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob' };
const PROJECT = { layer: 'project', identifiers: { projectId: 'p' } } as const;
const NOBODY = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e00';
const DAY_MS = 86_400_000;

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

export function inspectionContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('inspection', () => {
    statsTests(test);
    neighboursTests(test);
    lineageTests(test);
    decayTests(test);
    mapTests(test);
    lookingTests(test);
    test('tells administrators how the service does, and nobody else', async (subject) => {
      await failure('FORBIDDEN', subject.as(ALICE).admin.metrics({}));
      await subject.as(ALICE).add(user('something to measure'));
      const vitals = await subject.as(ROOT).admin.metrics({});
      assert.equal(vitals.health.components['store']?.status, 'healthy');
      assert.ok(vitals.process.rssBytes > 0 && vitals.uptimeSeconds >= 0);
      assert.equal(vitals.isMeasured || vitals.operations.length === 0, true);
    });
  });
}

function countsOf({ groups }: OperationOutput<'stats'>): string[] {
  return groups.map(({ layer, kind, status, count }) => `${layer} ${kind} ${status} ${count}`);
}

function statsTests(test: MemoryTest): void {
  const clock = new ManualClock();
  test(
    'counts what one may see, and for administrators all of it, with how it grew',
    async (subject) => {
      const [alice, bob, root] = [subject.as(ALICE), subject.as(BOB), subject.as(ROOT)];
      assert.equal((await alice.stats()).total, 0);
      const { memory: gone } = await alice.add(user('the first heron flies south'));
      clock.advance(DAY_MS);
      await alice.delete({ id: gone.id });
      const { memory: put } = await alice.add(user('the second heron flies south'));
      await alice.add(user('the third heron stays'));
      await alice.archive({ id: put.id });
      await alice.add({ content: 'everyone knows of herons', ...PROJECT });
      await bob.add(user('a heron of somebody else'));
      await bob.add({ ...user('Have you seen the heron?'), kind: 'episodic' });
      await alice.facts.add({ factType: 'is_a', subject: 'heron', predicate: 'is_a', object: 'bird' });
      const mine = await alice.stats({ days: 3 });
      assert.deepEqual(countsOf(mine), [
        'user semantic active 1',
        'user semantic archived 1',
        'project semantic active 1',
      ]);
      assert.equal(mine.total, 3);
      assert.deepEqual(
        mine.growth.map(({ created, deleted }) => [created, deleted]),
        [
          [0, 0],
          [1, 0],
          [3, 1],
        ],
      );
      assert.equal(mine.growth.at(-1)?.day, new Date(clock.now()).toISOString().slice(0, 10));
      assert.deepEqual([mine.sizes.entries, mine.sizes.facts, mine.spaces], [2, 1, undefined]);
      assert.equal((await bob.stats()).total, 3);
      await failure('FORBIDDEN', alice.stats({ of: 'tenant' }));
      const all = await root.stats({ of: 'tenant', days: 1 });
      assert.equal(all.total, 5);
      assert.deepEqual(
        all.growth.map(({ created, deleted }) => [created, deleted]),
        [[5, 1]],
      );
      assert.deepEqual([all.sizes.entries, all.sizes.versions, all.sizes.facts], [5, 1, 1]);
      assert.deepEqual(
        all.spaces?.map(({ count }) => count),
        [5],
      );
      assert.deepEqual(
        mine.groups.map(({ created }) => created),
        [1, 1, 1],
      );
      clock.advance(DAY_MS);
      const later = await root.stats({ of: 'tenant', days: 1 });
      assert.ok(later.total === 5 && later.groups.every(({ created }) => created === 0));
    },
    { clock },
  );

  test(
    'counts what has expired no more than a list does',
    async (subject) => {
      const [alice, root] = [subject.as(ALICE), subject.as(ROOT)];
      const expiresAt = new Date(clock.now() + 1000).toISOString();
      await alice.add(user('a heron that stays'));
      const { memory: put } = await alice.add({ ...user('a heron put away for a second'), expiresAt });
      await alice.archive({ id: put.id });
      await alice.add({ ...user('a heron for a second'), expiresAt });
      await alice.add({ content: 'a heron of the project for a second', ...PROJECT, expiresAt });
      assert.equal((await alice.stats()).total, 4);
      clock.advance(1000);
      for (const stats of [await alice.stats(), await root.stats({ of: 'tenant' })]) {
        assert.deepEqual(countsOf(stats), ['user semantic active 1']);
        assert.deepEqual([stats.total, stats.groups[0]?.created], [1, 1]);
      }
      assert.equal((await alice.list({ layer: 'user' })).totalCount, 1);
    },
    { clock },
  );

  test('tells agents apart, and leaves out what contexts hold', async (subject) => {
    const [one, other, alice] = ['one', 'other', undefined].map((agentId) =>
      subject.as(agentId === undefined ? ALICE : { ...ALICE, agentId }),
    ) as [Memory, Memory, Memory];
    await one.add({ content: 'an agent of its own mind', layer: 'agent' });
    const { contextId } = await alice.contexts.create({ type: 'knowledge_base' });
    await alice.contextEntries.put({ contextId, key: 'a', content: 'held by a context' });
    assert.equal((await one.stats()).total, 1);
    assert.equal((await other.stats()).total, 0);
    assert.equal((await alice.stats()).total, 1);
    const { groups } = await subject.as(ROOT).stats({ of: 'tenant' });
    assertSameMembers(
      groups.map(({ isInContext }) => String(isInContext)),
      ['false', 'true'],
    );
  });
}

function neighboursTests(test: MemoryTest): void {
  test('finds what is near in meaning, nearest first, and only in reach', async (subject) => {
    const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
    const { memory: heron } = await alice.add(user('the grey heron catches fish in the river'));
    const { memory: twin } = await alice.add(user('The grey heron catches fish in the river!'));
    await alice.add(user('the grey heron sleeps in the tree'));
    await alice.add({ content: 'the grey heron catches frogs in the river', ...PROJECT });
    await bob.add(user('the grey heron catches fish in the river'));
    const { neighbours, hasEmbedding } = await alice.neighbours({ id: heron.id });
    assert.equal(hasEmbedding, true);
    assert.deepEqual([nth(neighbours).memory.id, nth(neighbours).isNearDuplicate], [twin.id, true]);
    assert.equal(nth(neighbours, 1).isNearDuplicate, false);
    assert.equal(neighbours.length, 2);
    const similarities = neighbours.map(({ similarity }) => similarity);
    assert.deepEqual(
      similarities,
      similarities.toSorted((a, b) => b - a),
    );
    const wider = await alice.neighbours({ id: heron.id, identifiers: { userId: 'alice', projectId: 'p' }, limit: 50 });
    assert.equal(wider.neighbours.length, 3);
    assert.equal((await alice.neighbours({ id: heron.id, limit: 1 })).neighbours.length, 1);
    await failure('MEMORY_NOT_FOUND', bob.neighbours({ id: heron.id }));
    await failure('MEMORY_NOT_FOUND', alice.neighbours({ id: NOBODY }));
  });

  test('explains a search: which words match, what was left out, and why', async (subject) => {
    const alice = subject.as(ALICE);
    const { memory: best } = await alice.add(user('She ran to the river while the others were Running home.'));
    await alice.add({ content: 'She ran to the river while the others were Running home.', ...PROJECT });
    const { memory: secret } = await alice.add({ ...user('A secret run to the river'), sensitivity: 'restricted' });
    const { memory: late } = await alice.add(user('One more run along the river'));
    const { memory: far } = await alice.add(user('The river is long'));
    const identifiers = { userId: 'alice', projectId: 'p' };
    const asked = { query: 'runs to the river', identifiers, limit: 1, maxSensitivity: 'internal' } as const;
    const { results, leftOut } = await alice.search({ ...asked, threshold: 0, explain: true });
    assert.equal(nth(results).memory.id, best.id);
    assertSameMembers(nth(results).matched ?? [], ['ran', 'river', 'Running']);
    assert.ok(leftOut);
    assert.deepEqual(leftOut.counts, { threshold: 0, decay: 0, sensitivity: 1, trust: 0, duplicate: 1, limit: 2 });
    const byReason = (reason: string): string[] =>
      leftOut.memories.flatMap((each) => (each.reason === reason ? [each.id] : []));
    assertSameMembers(byReason('limit'), [late.id, far.id]);
    assert.equal(leftOut.memories.find(({ reason }) => reason === 'duplicate')?.duplicateOf, best.id);
    assert.ok(leftOut.memories.every(({ id }) => id !== secret.id));
    const strict = await alice.search({ ...asked, threshold: 1, explain: true });
    assert.deepEqual([strict.results.length, strict.leftOut?.counts.threshold], [0, 5]);
    assert.ok(strict.leftOut?.memories.every(({ id, reason }) => reason === 'threshold' && id !== secret.id));
    const plain = await alice.search({ ...asked, threshold: 0 });
    assert.deepEqual([plain.leftOut, nth(plain.results).matched], [undefined, undefined]);
  });
}

function lineageTests(test: MemoryTest): void {
  const model = new ScriptedModel(() => ({
    memories: [{ kind: 'semantic', content: 'The user wants window seats', message: 1, quote: 'Window seats only' }],
    facts: [
      {
        factType: 'located_at',
        subject: 'user',
        predicate: 'lives_in',
        object: 'Lisbon',
        message: 1,
        quote: 'I moved to Lisbon',
      },
    ],
    ended: [],
  }));

  test(
    'shows what a memory came from and what came of it, in both directions',
    async (subject) => {
      const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
      const said = await alice.remember({
        agentId: 'travel',
        sessionId: 'chat',
        messages: [{ role: 'user', content: 'I moved to Lisbon. Window seats only, please.' }],
      });
      const [turnId, madeId] = [nth(said.turns).id ?? '', nth(said.memories).id ?? ''];
      const { memory: copy } = await alice.promote({ id: madeId, ...PROJECT });
      const down = await alice.lineage({ id: turnId });
      assert.deepEqual(
        down.nodes.map(({ type, depth }) => `${type} ${depth}`),
        ['memory 0', 'memory 1', 'memory 2', 'fact 1'],
      );
      const factId = nth(down.nodes, 3).id;
      assert.deepEqual(down.edges, [
        { from: turnId, to: madeId, relation: 'extracted' },
        { from: madeId, to: copy.id, relation: 'promoted' },
        { from: turnId, to: factId, relation: 'extracted' },
      ]);
      assert.deepEqual([down.hiddenCount, down.isTruncated], [0, false]);
      const up = await alice.lineage({ id: copy.id, depth: 1 });
      assert.deepEqual(
        up.nodes.map(({ id, depth }) => [id, depth]),
        [
          [copy.id, 0],
          [madeId, -1],
        ],
      );
      assert.equal(up.isTruncated, true);
      // What it came from is nobody's but Alice's.
      const seen = await bob.lineage({ id: copy.id });
      assert.deepEqual([seen.nodes.length, seen.edges.length, seen.hiddenCount], [1, 0, 1]);
      await failure('MEMORY_NOT_FOUND', bob.lineage({ id: madeId }));
    },
    { languageModel: model },
  );
}

function decayTests(test: MemoryTest): void {
  test('says where nothing fades', async (subject) => {
    const alice = subject.as(ALICE);
    const { memory } = await alice.add(user('the heron stays'));
    const { isOn, reason, currentRelevance, points } = await alice.decay({ id: memory.id, days: 10 });
    assert.deepEqual([isOn, reason, currentRelevance], [false, 'off', 1]);
    assert.ok(points.every(({ relevance }) => relevance === 1));
    await failure('MEMORY_NOT_FOUND', subject.as(BOB).decay({ id: memory.id }));
  });

  const clock = new ManualClock();
  test(
    'draws how a memory fades, and when it will have',
    async (subject) => {
      const alice = subject.as(ALICE);
      const { memory } = await alice.add(user('the heron fades'));
      clock.advance(10 * DAY_MS);
      const view = await alice.decay({ id: memory.id, days: 30 });
      assert.equal(view.isOn, true);
      assert.ok(Math.abs(view.currentRelevance - 0.95 ** 10) < 1e-9);
      assert.equal(nth(view.points).at, memory.createdAt);
      assert.equal(view.points.at(-1)?.at, new Date(clock.now() + 30 * DAY_MS).toISOString());
      assert.ok(view.points.some(({ at, relevance }) => at === view.now && relevance === view.currentRelevance));
      const relevances = view.points.map(({ relevance }) => relevance);
      assert.deepEqual(
        relevances,
        relevances.toSorted((a, b) => b - a),
      );
      const days = (at: string | undefined): number => (Date.parse(at ?? '') - Date.parse(memory.createdAt)) / DAY_MS;
      assert.ok(Math.abs(days(view.decayedAt) - Math.log(0.5) / Math.log(0.95)) < 0.001);
      assert.ok(Math.abs(days(view.belowThresholdAt) - Math.log(0.1) / Math.log(0.95)) < 0.001);
      // Looking is no access.
      assert.equal((await alice.decay({ id: memory.id })).accessCount, 0);
    },
    { clock, lifecycle: { decay: { enabled: true, ratePerDay: 0.05, archiveThreshold: 0.1, exemptLayers: [] } } },
  );
}

function mapTests(test: MemoryTest): void {
  test('lays memories out by meaning, and shows nothing that is gone', async (subject) => {
    const [alice, bob] = [subject.as(ALICE), subject.as(BOB)];
    const added = await alice.addMany(
      ['herons', 'boats', 'trains'].flatMap((topic) =>
        [1, 2, 3, 4].map((number) => user(`${topic} ${topic} ${topic} ${topic} number ${number}`)),
      ),
    );
    await bob.add(user('a heron of somebody else'));
    const map = await whenReady(alice);
    const { points } = map;
    assert.ok(points);
    assertSameMembers(
      points.ids,
      added.map(({ memory }) => memory.id),
    );
    assert.deepEqual([map.total, map.isStale], [12, false]);
    assert.ok([...points.x, ...points.y].every((value) => value >= -1 && value <= 1));
    assert.equal(points.labels[points.ids.indexOf(nth(added).memory.id)], 'herons herons herons herons number 1');
    assert.equal((await alice.map({ layers: ['user'], since: map.computedAt })).points, undefined);
    await alice.delete({ id: nth(added).memory.id });
    const later = await alice.map({ layers: ['user'] });
    assert.deepEqual([later.status, later.isStale, later.points?.ids.length], ['ready', true, 11]);
    assert.equal((await whenReady(bob)).points?.ids.length, 1);
  });
}

function lookingTests(test: MemoryTest): void {
  test('tells callers who they are', async (subject) => {
    const { userId, agentId, roles } = await subject.as({ userId: 'alice', agentId: 'scribe' }).principal.get({});
    assert.deepEqual([userId, agentId], ['alice', 'scribe']);
    assert.equal(roles.includes('admin'), false);
    assert.deepEqual((await subject.as(ROOT).principal.get({})).roles, ['admin']);
  });

  test('does not take looking for use', async (subject) => {
    const alice = subject.as(ALICE);
    const [used, seen] = [await alice.add(user('otters hold hands')), await alice.add(user('violins need rosin'))];
    await alice.search({ query: 'violins rosin', threshold: 0, limit: 1, mode: 'keyword', explain: true });
    await alice.turnContext({ message: 'violins rosin', threshold: 0, limit: 2, preview: true });
    await alice.search({ query: 'otters hands', threshold: 0, limit: 1, mode: 'keyword' });
    const reads = async ({ memory: { id } }: typeof used): Promise<number> => (await alice.decay({ id })).accessCount;
    // Accesses are written with a later commit.
    for (let round = 0; round < 200 && (await reads(used)) === 0; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.deepEqual([await reads(used), await reads(seen)], [1, 0]);
    const { accesses, lastAccessedAt } = await alice.decay({ id: used.memory.id });
    assert.deepEqual(accesses, [lastAccessedAt]);
    assert.deepEqual((await alice.decay({ id: seen.memory.id })).accesses, []);
  });
}

async function whenReady(memory: Memory): Promise<OperationOutput<'map'>> {
  for (let round = 0; round < 400; round += 1) {
    const map = await memory.map({ layers: ['user'] });
    if (map.status === 'ready') return map;
    assert.equal(map.points, undefined);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail('the map was never ready');
}
