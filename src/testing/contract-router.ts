/** Contract: the router reads through the tiers, writes to the one named, consolidates once, and widens nobody's sight. */

import assert from 'node:assert/strict';
import type { Json } from '../domain/json.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure, listed } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice', agentId: 'advisor' };
const USER: PrincipalInput = { userId: 'alice' };
const BOB: PrincipalInput = { userId: 'bob', agentId: 'advisor' };
const SESSION = { sessionId: 'sess-1' };
const KEY = { ...SESSION, key: 'k', taskId: 'task-1' };

export function routerContract(runner: TestRunner, open: OpenMemory): void {
  runner.describe('router', () => {
    cascadeContract(runner, open);
    longTermContract(runner, open);
    consolidationContract(runner, open);
    overviewContract(runner, open);
  });
}

function cascadeContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('reads through the tiers in their order, says which, and deletes from the one named', async (subject) => {
    const { router, pools } = subject.as(ALICE);
    const tierOf = async (input: Parameters<typeof router.read>[0] = KEY): Promise<string | undefined> =>
      (await router.read(input))?.tier;
    assert.equal(await router.read(KEY), null);
    await pools.create({ poolId: 'pool-1' });
    const shared = await router.write({ ...KEY, value: 'shared', tier: 'shared', poolId: 'pool-1' });
    assert.deepEqual(await router.read(KEY), shared);
    assert.deepEqual([shared.tier, shared.poolId], ['shared', 'pool-1']);
    assert.equal((await router.write({ ...KEY, value: 'long', tier: 'long_term' })).tier, 'long_term');
    assert.equal(await tierOf(), 'long_term');
    const short = await router.write({ ...KEY, value: 'short', type: 'reflection', ttlSeconds: 60 });
    assert.deepEqual([short.tier, short.sessionId, short.agentId], ['short_term', 'sess-1', 'advisor']);
    assert.equal(await tierOf(), 'short_term');
    await router.write({ ...KEY, value: 'working', tier: 'working' });
    assert.deepEqual(
      await Promise.all([KEY, { ...KEY, taskId: 'task-2' }, { key: 'k' }].map((input) => tierOf(input))),
      ['working', 'short_term', 'long_term'],
    );
    for (const tier of ['working', 'short_term', 'long_term', 'shared'] as const) {
      assert.equal((await router.read({ ...KEY, tier }))?.tier, tier);
    }
    // From the first to the last, what lay behind comes to sight.
    for (const [tier, next] of [
      ['working', 'short_term'],
      ['short_term', 'long_term'],
      ['long_term', 'shared'],
    ] as const) {
      assert.deepEqual(await router.delete({ ...KEY, tier }), { success: true });
      assert.deepEqual(await router.delete({ ...KEY, tier }), { success: false });
      assert.equal(await tierOf(), next);
    }
    await failure('FORBIDDEN', router.delete({ ...KEY, tier: 'shared', poolId: 'pool-1' }));
    assert.equal(await tierOf(), 'shared');
  });

  test('refuses a tier that lacks its identifier, and leaves others out', async (subject) => {
    const { router } = subject.as(USER);
    await failure('MISSING_IDENTIFIER', router.read({ key: 'k', tier: 'working' }));
    await failure('MISSING_IDENTIFIER', router.read({ key: 'k', tier: 'short_term' }));
    await failure('MISSING_IDENTIFIER', router.write({ key: 'k', value: 1 }));
    await failure('MISSING_IDENTIFIER', router.write({ key: 'k', value: 1, tier: 'shared' }));
    await failure('MISSING_IDENTIFIER', router.delete({ key: 'k' }));
    await failure('NOT_FOUND', router.write({ key: 'k', value: 1, tier: 'shared', poolId: 'nowhere' }));
    assert.equal(await router.read({ key: 'k' }), null);
    assert.equal(await router.read({ key: 'k..x', poolId: 'nowhere' }), null);
  });

  test('finds what is shared in one’s own pools first, then where one was let in, then in public ones', async (subject) => {
    const [alice, bob, mallory] = [subject.as(USER), subject.as({ userId: 'bob' }), subject.as({ userId: 'mallory' })];
    const shared = async (memory: Memory, key = 'k.inner'): Promise<unknown> =>
      (await memory.router.read({ key }))?.value;
    const put = (memory: Memory, poolId: string, value: string): Promise<unknown> =>
      memory.pools.write({ poolId, key: 'k.inner', value });
    await alice.pools.create({ poolId: 'own', access: { read: ['advisor'] } });
    await alice.pools.create({ poolId: 'own too' });
    await bob.pools.create({ poolId: 'granted', access: { read: ['alice'], publicRead: true } });
    await mallory.pools.create({ poolId: 'public', access: { publicRead: true } });
    await put(mallory, 'public', 'of mallory');
    assert.equal(await shared(alice), 'of mallory');
    await put(bob, 'granted', 'of bob');
    await put(mallory, 'public', 'of mallory, later');
    assert.equal(await shared(alice), 'of bob');
    await put(alice, 'own too', 'second');
    await put(alice, 'own', 'first');
    await put(bob, 'granted', 'of bob, later');
    await put(mallory, 'public', 'of mallory, last');
    assert.equal(await shared(alice), 'first');
    await alice.pools.write({ poolId: 'own', key: 'k', value: {} });
    assert.equal(await shared(alice), 'second');
    // An agent sees what its user let it into, and is let in where its user is.
    assert.equal(await shared(subject.as(ALICE)), 'of bob, later');
    await put(alice, 'own', 'for the agent');
    assert.equal(await shared(subject.as(ALICE)), 'for the agent');
    assert.equal(await shared(subject.as({ userId: 'carol' })), 'of mallory, last');
  });

  test('shows nobody what is of another user or agent', async (subject) => {
    const { router } = subject.as(ALICE);
    for (const tier of ['working', 'short_term', 'long_term'] as const) {
      await router.write({ ...KEY, value: tier, tier });
    }
    for (const other of [BOB, { ...ALICE, agentId: 'advisor1' }, { ...USER, tenantId: TENANT, agentId: 'advisor' }]) {
      assert.equal(await subject.as(other).router.read(KEY), null);
      const { results } = await subject.as(other).router.search({ query: 'long_term', threshold: 0 });
      assert.deepEqual(results, []);
      for (const tier of ['working', 'short_term', 'long_term'] as const) {
        assert.deepEqual(await subject.as(other).router.delete({ ...KEY, tier }), { success: false });
      }
    }
    const kept = subject.as({ ...USER, agentId: 'other' }).router;
    await failure('FORBIDDEN', kept.read({ ...KEY, agentId: 'advisor' }));
    await failure('FORBIDDEN', kept.consolidate({ ...SESSION, agentId: 'advisor' }));
    await failure('FORBIDDEN', kept.stats({ agentId: 'advisor' }));
    await failure('FORBIDDEN', kept.search({ query: 'x', agentId: 'advisor' }));
    assert.equal((await subject.as(USER).router.read({ ...KEY, agentId: 'advisor' }))?.value, 'working');
  });
}

const TENANT = '00000000-0000-4000-8000-00000000000c';

function longTermContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('keeps any value for good, exactly, under its key, and archives what is deleted', async (subject) => {
    const memory = subject.as(ALICE);
    const { router } = memory;
    const place = { key: 'k', tier: 'long_term' } as const;
    const values: readonly Json[] = [
      { a: 'x  y', n: 1 },
      'a text',
      [],
      null,
      '',
      '\u200b',
      0,
      '{"a":1}',
      { a: 1 },
      '{"a":1}',
    ];
    for (const value of values) {
      await router.write({ ...place, value });
      assert.deepEqual((await router.read(place))?.value, value);
      assert.deepEqual((await subject.as(USER).router.read({ ...place, agentId: 'advisor' }))?.value, value);
    }
    const { memoryId = '' } = (await router.read(place)) ?? {};
    const { memory: entry } = await memory.get({ id: memoryId });
    assert.deepEqual(
      [entry?.layer, entry?.kind, entry?.externalId, entry?.version],
      ['agent', 'semantic', 'k', values.length],
    );
    // Who changes the text of the memory changes the value.
    await router.write({ ...place, value: { a: 1 } });
    await memory.update({ id: memoryId, content: 'by hand' });
    assert.equal((await router.read(place))?.value, 'by hand');
    await router.delete(place);
    assert.equal(await router.read(place), null);
    assert.equal((await memory.get({ id: memoryId })).memory?.status, 'archived');
    const again = await router.write({ ...place, value: 'by hand' });
    assert.equal(again.memoryId, memoryId);
    assert.equal((await router.read(place))?.value, 'by hand');
    // Without an agent it is the user's own.
    await subject.as(USER).router.write({ ...place, value: 'of the user' });
    assert.equal((await subject.as(USER).router.read(place))?.value, 'of the user');
    assert.equal((await router.read(place))?.value, 'by hand');
  });
}

async function readOften({ shortTerm }: Memory, key: string, times = 3): Promise<void> {
  for (let read = 0; read < times; read += 1) assert.notEqual(await shortTerm.get({ ...SESSION, key }), null);
}

/** Reads are counted soon; until then there is nothing to consolidate. */
async function counted({ shortTerm }: Memory, accesses: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if ((await shortTerm.stats(SESSION)).accesses >= accesses) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail('the reads were not counted');
}

function consolidationContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  const FISH = 'The aquarium needs fresh water every second Tuesday of the month';
  test('remembers for good what was read three times, once, each under its own key', async (subject) => {
    const memory = subject.as(ALICE);
    const { router, shortTerm } = memory;
    await shortTerm.write({ ...SESSION, key: 'fish', value: FISH, type: 'reflection' });
    await shortTerm.write({ ...SESSION, key: 'fish again', value: `${FISH}!` });
    await shortTerm.write({ ...SESSION, key: 'result', value: { output: ['parsed'] } });
    await shortTerm.write({ ...SESSION, key: 'seldom', value: 'read twice' });
    await shortTerm.write({ ...SESSION, key: 'large', value: 'x'.repeat(40_000) });
    for (const key of ['fish', 'fish again', 'result', 'large']) await readOften(memory, key);
    await readOften(memory, 'seldom', 2);
    await counted(memory, 14);
    const { promotions, ...counts } = await router.consolidate(SESSION);
    assert.deepEqual(counts, {
      ...SESSION,
      agentId: 'advisor',
      created: 3,
      updated: 0,
      merged: 0,
      unchanged: 0,
      skipped: 1,
    });
    assert.deepEqual(
      promotions.map(({ key, outcome }) => [key, outcome]),
      [
        ['fish', 'created'],
        ['fish again', 'created'],
        ['large', 'skipped'],
        ['result', 'created'],
      ],
    );
    const left = (await shortTerm.list(SESSION)).items.map(({ key }) => key);
    assert.deepEqual(left, ['large', 'seldom']);
    const found = (await router.read({ ...SESSION, key: 'fish' })) ?? assert.fail();
    const { memory: entry } = await memory.get({ id: found.memoryId ?? '' });
    assert.deepEqual([found.tier, entry?.layer, entry?.kind], ['long_term', 'agent', 'semantic']);
    assert.deepEqual(entry?.provenance, { promotedFrom: 'sess-1/fish' });
    assert.equal((await router.read({ ...SESSION, key: 'fish again' }))?.value, `${FISH}!`);
    assert.equal(entry?.identifiers.sessionId, 'sess-1');
    assert.deepEqual((await router.read({ ...SESSION, key: 'result' }))?.value, { output: ['parsed'] });
    const search = await router.search({ query: FISH, mode: 'semantic', threshold: 0, limit: 2 });
    assertSameMembers(
      search.results.map(({ memory: { content }, tier }) => `${tier}: ${content}`),
      [`long_term: ${FISH}`, `long_term: ${FISH}!`],
    );
    const again = await router.consolidate(SESSION);
    assert.deepEqual([again.created, again.updated, again.merged, again.unchanged], [0, 0, 0, 0]);
    // What comes again under the same name revises what is remembered, and what others have named stays theirs.
    await router.write({ key: 'mine', value: FISH, tier: 'long_term' });
    await shortTerm.write({ ...SESSION, key: 'result', value: { output: ['done'] } });
    await readOften(memory, 'result');
    await counted(memory, 8);
    assert.equal((await router.consolidate(SESSION)).updated, 1);
    assert.deepEqual((await router.read({ ...SESSION, key: 'result' }))?.value, { output: ['done'] });
    assert.equal((await router.read({ key: 'mine' }))?.value, FISH);
    const contents = await listed(memory, { layer: 'agent' });
    assert.equal(contents.length, 4);
  });

  test('keeps values apart that look alike, and gives its key to a nameless memory that says the same', async (subject) => {
    const memory = subject.as(ALICE);
    const { router, shortTerm } = memory;
    const order = (id: number): string => `Order ${id} was shipped to the warehouse in Hamburg on Monday morning`;
    const json = (id: number): Json => ({ order: id, state: 'shipped', place: 'the warehouse in Hamburg' });
    const { memory: nameless } = await memory.add({ content: FISH, layer: 'agent' });
    const { memory: order7 } = await memory.add({ content: order(1007), layer: 'agent' });
    const { memory: john } = await memory.add({ content: 'John reports to Mary', layer: 'agent' });
    const { memory: structured } = await memory.add({ content: JSON.stringify(json(7)), layer: 'agent' });
    const values: Readonly<Record<string, Json>> = {
      fish: `${FISH}!`,
      'json 1': json(1001),
      'json 2': json(1002),
      'json 7': json(7),
      'order 1': order(1001),
      'order 2': order(1002),
      'order 2 again': order(1002),
      mary: 'Mary reports to John',
    };
    for (const [key, value] of Object.entries(values)) {
      await shortTerm.write({ ...SESSION, key, value });
      await readOften(memory, key);
    }
    await counted(memory, Object.keys(values).length * 3);
    const { promotions, created, updated, merged, unchanged } = await router.consolidate(SESSION);
    assert.deepEqual([created, updated, merged, unchanged], [6, 0, 2, 0]);
    const memoryOf = new Map(promotions.map(({ key, memoryId }) => [key, memoryId]));
    assert.deepEqual([memoryOf.get('fish'), memoryOf.get('json 7')], [nameless.id, structured.id]);
    for (const [key, value] of Object.entries(values)) {
      assert.deepEqual((await router.read({ ...SESSION, key }))?.value, value, key);
    }
    assert.equal((await memory.get({ id: order7.id })).memory?.version, 1);
    assert.equal((await memory.get({ id: john.id })).memory?.version, 1);
    assert.equal((await listed(memory, { layer: 'agent' })).length, 10);
  });

  const clock = new ManualClock();
  test(
    'also remembers what expired after it was read often, and nobody else sees it meanwhile',
    async (subject) => {
      const memory = subject.as(ALICE);
      const { router, shortTerm } = memory;
      const place = { ...SESSION, key: 'gone' };
      await shortTerm.write({ ...place, value: FISH, ttlSeconds: 60 });
      await shortTerm.write({ ...SESSION, key: 'seldom', value: 'read twice', ttlSeconds: 60 });
      await readOften(memory, 'gone');
      await readOften(memory, 'seldom', 2);
      await counted(memory, 5);
      clock.advance(60_000);
      assert.equal(await shortTerm.get(place), null);
      assert.equal(await router.read(place), null);
      assert.equal((await subject.as(BOB).router.consolidate(SESSION)).created, 0);
      assert.equal((await router.consolidate(SESSION)).created, 1);
      assert.deepEqual((await router.consolidate(SESSION)).promotions, []);
      assert.equal((await router.read(place))?.tier, 'long_term');
      assert.equal(await shortTerm.get(place), null);
    },
    { clock },
  );
}

function overviewContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  test('searches and counts long-term and shared memory, each by its tier', async (subject) => {
    const memory = subject.as(ALICE);
    const { router } = memory;
    await router.write({ ...KEY, value: 'zebra crossing of the agent', tier: 'long_term' });
    await memory.add({ content: 'zebra crossing of the user', layer: 'user' });
    await memory.add({ content: 'zebra crossing of the project', layer: 'project', identifiers: { projectId: 'p' } });
    await memory.semantic.store({ content: 'zebra crossing of everyone' });
    const found = async (input: object): Promise<string[]> => {
      const { results } = await router.search({ query: 'zebra crossing', threshold: 0, ...input });
      return results.map(({ layer, tier }) => `${layer} ${tier}`).toSorted();
    };
    const own = ['agent long_term', 'user long_term'];
    assert.deepEqual(await found({}), [own[0], 'company shared', own[1]]);
    assert.deepEqual(await found({ projectId: 'p', tiers: ['shared'] }), ['company shared', 'project shared']);
    assert.deepEqual(await found({ projectId: 'p', tiers: ['long_term'] }), own);
    await router.write({ ...KEY, value: 1, tier: 'working' });
    await router.write({ ...KEY, value: 'short' });
    await router.write({ ...SESSION, key: 'l', value: 'old', tier: 'long_term' });
    await router.delete({ ...SESSION, key: 'l', tier: 'long_term' });
    await memory.pools.create({ poolId: 'pool-1' });
    const stats = await router.stats({ ...SESSION, taskId: 'task-1' });
    assert.deepEqual(stats.workingMemory, { count: 1, bytes: 1 });
    assert.deepEqual([stats.shortTerm?.count, stats.shortTerm?.accesses], [1, 0]);
    assert.deepEqual(stats.longTerm, { count: 2, archivedCount: 1, layers: { agent: 1, user: 1 } });
    assert.deepEqual(stats.shared, { poolCount: 1, memoryCount: 1 });
    const nobody = await subject.as({ userId: 'carol' }).router.stats({});
    assert.deepEqual([nobody.workingMemory, nobody.shortTerm, nobody.longTerm.count], [null, null, 0]);
  });
}
