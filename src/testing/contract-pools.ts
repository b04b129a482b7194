/** Contract: pools hold values that several agents share, under dotted keys, until they are over. */

import assert from 'node:assert/strict';
import type { PoolChange } from '../domain/pool.ts';
import type { Memory } from '../operations/memory.ts';
import { failure, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

/** Changes come at once, or within seconds where a hint got lost; one that does not come must not hang a test. */
const PATIENCE_MS = 20_000;
const HOUR_MS = 3_600_000;

const POOL = { poolId: 'p' };

/** As many changes as asked for after a position; fails when they do not come. */
async function take({ pools }: Memory, count: number, after: string): Promise<PoolChange[]> {
  const taken: PoolChange[] = [];
  for await (const change of pools.follow({ ...POOL, after, signal: AbortSignal.timeout(PATIENCE_MS) })) {
    if (taken.push(change) === count) return taken;
  }
  return assert.fail(`${taken.length} changes came instead of ${count}`);
}

const valueOf = async ({ pools }: Memory, key: string): Promise<unknown> => (await pools.read({ ...POOL, key }))?.value;

const keysOf = async ({ pools }: Memory): Promise<string[]> => (await pools.readAll(POOL)).values.map(({ key }) => key);

export function poolsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  runner.describe('pools', () => {
    const clock = new ManualClock();
    test(
      'are made, changed, listed and deleted, with defaults by type',
      async (subject) => {
        const { pools } = subject.as({ userId: 'alice' });
        const made = await pools.create({ name: 'Ours', metadata: { a: 1 } });
        const now = new Date(clock.now()).toISOString();
        const { version, poolId, ...fields } = made;
        assert.deepEqual(fields, {
          ownerId: 'alice',
          type: 'shared',
          scope: 'account',
          name: 'Ours',
          metadata: { a: 1 },
          access: { read: [], write: [], publicRead: true },
          createdAt: now,
          updatedAt: now,
        });
        assert.deepEqual(await pools.get({ poolId }), made);
        const NOBODY = { read: [], write: [], publicRead: false };
        for (const [type, given, scope, scopeId] of [
          ['agent_private', {}, 'agent', 'alice'],
          ['team_shared', { scopeId: 't' }, 'team', 't'],
          ['task_scoped', { scopeId: '1' }, 'task', '1'],
        ] as const) {
          clock.advance(1000);
          const pool = await pools.create({ poolId: type, type, ...given });
          assert.deepEqual([pool.scope, pool.scopeId, pool.access], [scope, scopeId, NOBODY]);
        }
        const changed = await pools.update({ poolId, ifVersion: version, metadata: { b: 2 } });
        assert.deepEqual([changed.metadata, changed.name, changed.access], [{ b: 2 }, 'Ours', made.access]);
        await failure('VERSION_CONFLICT', pools.update({ poolId, ifVersion: version, name: 'Mine' }));
        await failure('VERSION_CONFLICT', pools.create({ poolId }));
        const ids = async (input: Parameters<typeof pools.list>[0]): Promise<string[]> =>
          (await pools.list(input)).pools.map((pool) => pool.poolId);
        assert.deepEqual(await ids({}), ['task_scoped', 'team_shared', 'agent_private', poolId]);
        assert.deepEqual(await ids({ type: 'shared' }), [poolId]);
        assert.deepEqual(await ids({ scope: 'team', scopeId: 't' }), ['team_shared']);
        const { nextCursor: cursor } = await pools.list({ limit: 3 });
        assert.ok(cursor !== null);
        assert.deepEqual(await ids({ limit: 3, cursor }), [poolId]);
        assert.deepEqual(await pools.delete({ poolId }), { success: true });
        assert.deepEqual(await pools.delete({ poolId }), { success: false });
        assert.equal(await pools.get({ poolId }), null);
        await failure('NOT_FOUND', pools.update({ poolId, name: 'Gone' }));
      },
      { clock },
    );

    test('hold values under dotted keys, each with a version', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const { pools } = memory;
      await pools.create(POOL);
      assert.equal(await pools.read({ ...POOL, key: 'a' }), null);
      const first = await pools.write({ ...POOL, key: 'a.b.c', value: [1] });
      assert.deepEqual([first.key, first.value, first.accessCount], ['a.b.c', [1], 0]);
      assert.deepEqual(await valueOf(memory, 'a'), { b: { c: [1] } });
      assert.deepEqual(await valueOf(memory, 'a.b'), { c: [1] });
      for (const key of ['b', 'a.c', 'a.b.c.0', 'a.b.c.length', 'a.constructor']) {
        assert.equal(await pools.read({ ...POOL, key }), null, key);
      }
      const merged = await pools.merge({ ...POOL, key: 'a.b', fields: { d: null }, ifVersion: first.version });
      assert.deepEqual(merged.value, { c: [1], d: null });
      assert.equal((await pools.read({ ...POOL, key: 'a.b.d' }))?.version, merged.version);
      assert.deepEqual((await pools.append({ ...POOL, key: 'a.b.c', items: [2, 3] })).value, [1, 2, 3]);
      assert.equal((await pools.increment({ ...POOL, key: 'count.n', by: 2 })).value, 2);
      assert.deepEqual(await keysOf(memory), ['a', 'count']);
      assert.deepEqual(await pools.remove({ ...POOL, key: 'a.b.d' }), { success: true });
      assert.deepEqual(await pools.remove({ ...POOL, key: 'a.b.d' }), { success: false });
      assert.deepEqual(await pools.remove({ ...POOL, key: 'x.y' }), { success: false });
      assert.deepEqual(await valueOf(memory, 'a'), { b: { c: [1, 2, 3] } });
      assert.deepEqual(await pools.remove({ ...POOL, key: 'a' }), { success: true });
      assert.deepEqual(await keysOf(memory), ['count']);
      await pools.write({ ...POOL, key: 'count', value: null });
      assert.equal(await valueOf(memory, 'count'), null);
      const statistics = await pools.statistics(POOL);
      assert.deepEqual([statistics.entryCount, statistics.bytes], [1, 4]);
    });

    test('refuse what does not go with what is there, and leave it alone', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const { pools } = memory;
      await pools.create(POOL);
      const before = { list: [1, { x: 1 }], text: 't', nil: null, deep: { list: [] } };
      for (const [key, value] of Object.entries(before)) await pools.write({ ...POOL, key, value });
      const { version } = await pools.write({ ...POOL, key: 'text', value: 't' });
      await Promise.all([
        failure('VALIDATION_FAILED', pools.write({ ...POOL, key: 'text.length', value: 1 })),
        failure('VALIDATION_FAILED', pools.write({ ...POOL, key: 'list.1.x', value: 2 })),
        failure('VALIDATION_FAILED', pools.write({ ...POOL, key: 'nil.x', value: 2 })),
        failure('VALIDATION_FAILED', pools.merge({ ...POOL, key: 'list', fields: { a: 1 } })),
        failure('VALIDATION_FAILED', pools.merge({ ...POOL, key: 'deep.list', fields: { a: 1 } })),
        failure('VALIDATION_FAILED', pools.merge({ ...POOL, key: 'text', fields: {} })),
        failure('VALIDATION_FAILED', pools.append({ ...POOL, key: 'deep', items: [1] })),
        failure('VALIDATION_FAILED', pools.increment({ ...POOL, key: 'nil' })),
        failure('VERSION_CONFLICT', pools.write({ ...POOL, key: 'text', value: 'new', ifVersion: version - 1 })),
        failure('VERSION_CONFLICT', pools.write({ ...POOL, key: 'text', value: 'new', ifVersion: 0 })),
        failure('VERSION_CONFLICT', pools.merge({ ...POOL, key: 'deep', fields: { a: 1 }, ifVersion: 1_000_000 })),
        failure('VERSION_CONFLICT', pools.remove({ ...POOL, key: 'text', ifVersion: 1_000_000 })),
        failure('LIMIT_EXCEEDED', pools.append({ ...POOL, key: 'deep.list', items: ['x'.repeat(1024 * 1024)] })),
      ]);
      const { values } = await pools.readAll(POOL);
      assert.deepEqual(Object.fromEntries(values.map(({ key, value }) => [key, value])), before);
    });

    const watch = new ManualClock();
    test(
      'and their values end when their time is over, and the id is free again',
      async (subject) => {
        const [memory, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob' })];
        const { pools } = memory;
        await pools.create({ ...POOL, ttlSeconds: 7200 });
        await pools.write({ ...POOL, key: 'short.x', value: 1, ttlSeconds: 60 });
        await pools.write({ ...POOL, key: 'short.y', value: 1 });
        await pools.write({ ...POOL, key: 'long', value: 'secret' });
        watch.advance(60_000);
        assert.deepEqual(await keysOf(memory), ['long']);
        watch.advance(2 * HOUR_MS);
        assert.equal(await pools.get(POOL), null);
        assert.equal(await pools.read({ ...POOL, key: 'long' }), null);
        assert.equal((await pools.list({})).count, 0);
        await failure('NOT_FOUND', pools.write({ ...POOL, key: 'long', value: 2 }));
        await failure('NOT_FOUND', pools.update({ ...POOL, expiresAt: null }));
        assert.deepEqual(await pools.delete(POOL), { success: false });
        const again = await bob.pools.create({ ...POOL, expiresAt: new Date(watch.now() + HOUR_MS).toISOString() });
        assert.equal(again.ownerId, 'bob');
        assert.deepEqual(await keysOf(bob), []);
        assert.equal((await bob.pools.update({ ...POOL, expiresAt: null })).expiresAt, undefined);
        watch.advance(HOUR_MS);
        assert.ok(await bob.pools.get(POOL));
      },
      { clock: watch },
    );

    test('leave nothing behind when they are deleted, also while others write', async (subject) => {
      const memory = subject.as({ userId: 'alice' });
      const { pools } = memory;
      await pools.create(POOL);
      const begun = Promise.all(['a', 'b', 'c'].map((key) => pools.write({ ...POOL, key, value: 'secret' })));
      // Each goes on until it is told that the pool is gone.
      const writers = ['d', 'e', 'f', 'g'].map(async (key) => {
        for (;;) await pools.write({ ...POOL, key, value: 'secret' });
      });
      const ends = Promise.all(writers.map((writer) => failure('NOT_FOUND', writer)));
      await begun;
      const deleted = await Promise.all([pools.delete(POOL), pools.delete(POOL), pools.delete(POOL)]);
      assert.equal(deleted.filter(({ success }) => success).length, 1);
      await ends;
      assert.equal(await pools.read({ ...POOL, key: 'a' }), null);
      await failure('NOT_FOUND', pools.readAll(POOL));
      await failure('NOT_FOUND', pools.statistics(POOL));
      await failure('NOT_FOUND', pools.write({ ...POOL, key: 'a', value: 1 }));
      await pools.create(POOL);
      assert.deepEqual(await keysOf(memory), []);
    });

    test('lose nothing of many who write at once, and let one win by version', async (subject) => {
      const owner = subject.as({ userId: 'owner' });
      const users = ['a', 'b', 'c', 'd'];
      await owner.pools.create({ ...POOL, access: { write: users } });
      const writers = [owner, ...users.map((userId) => subject.as({ userId }))];
      const all = Array.from({ length: 50 }, (_, n) => n);
      const calls = all.flatMap((n) => {
        const { pools } = nth(writers, n % writers.length);
        return [
          pools.merge({ ...POOL, key: 'board.notes', fields: { [`n${n}`]: n } }),
          pools.append({ ...POOL, key: 'log', items: [n] }),
        ];
      });
      await Promise.all(calls);
      assert.deepEqual(await valueOf(owner, 'board.notes'), Object.fromEntries(all.map((n) => [`n${n}`, n])));
      assert.deepEqual(
        ((await valueOf(owner, 'log')) as number[]).toSorted((x, y) => x - y),
        all,
      );
      const { version } = await owner.pools.write({ ...POOL, key: 'turn.of', value: 'nobody' });
      const won = await Promise.allSettled(
        writers.map(({ pools }, n) => pools.write({ ...POOL, key: 'turn.of', value: n, ifVersion: version })),
      );
      const winner = won.findIndex(({ status }) => status === 'fulfilled');
      assert.equal(won.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal(await valueOf(owner, 'turn.of'), winner);
    });

    test('can be followed by those who may read them, for as long as they may', async (subject) => {
      const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((userId) => subject.as({ userId }));
      assert.ok(alice && bob && carol);
      const { position } = await alice.events.position({});
      await alice.pools.create({ ...POOL, access: { read: ['bob'] } });
      const created = await alice.pools.write({ ...POOL, key: 'a.x', value: 1 });
      const updated = await alice.pools.merge({ ...POOL, key: 'a', fields: { y: 2 } });
      await alice.pools.remove({ ...POOL, key: 'a' });
      await alice.pools.write({ ...POOL, key: 'b', value: 'secret' });
      const changes = await take(bob, 4, position);
      assert.deepEqual(changes.map(({ type, key, version }) => [type, key, version]).slice(0, 3), [
        ['created', 'a', created.version],
        ['updated', 'a', updated.version],
        ['deleted', 'a', updated.version],
      ]);
      assert.doesNotMatch(JSON.stringify(changes), /secret/);
      assert.deepEqual(await take(bob, 2, nth(changes, 1).id), changes.slice(2));
      await failure('NOT_FOUND', take(carol, 1, position));
      await failure('VALIDATION_FAILED', take(bob, 1, 'nowhere'));

      const stop = AbortSignal.timeout(PATIENCE_MS);
      const following = bob.pools.follow({ ...POOL, after: nth(changes, 3).id, signal: stop })[Symbol.asyncIterator]();
      const next = following.next();
      next.catch(() => {});
      await alice.pools.write({ ...POOL, key: 'c', value: 1 });
      assert.equal((await next).value?.key, 'c');
      const denied = following.next();
      denied.catch(() => {});
      await alice.pools.revoke({ ...POOL, agentId: 'bob' });
      await alice.pools.write({ ...POOL, key: 'd', value: 1 });
      await failure('NOT_FOUND', denied);

      // Of a pool that had this id before nobody is told anything, not even the names of what was in it.
      await alice.pools.delete(POOL);
      await carol.pools.create(POOL);
      await carol.pools.write({ ...POOL, key: 'new', value: 1 });
      assert.deepEqual(
        (await take(carol, 1, position)).map(({ key }) => key),
        ['new'],
      );
    });

    test('of a workflow are for all who name the run, and go with it', async (subject) => {
      const [alice, bob] = [subject.as({ userId: 'alice' }), subject.as({ userId: 'bob', agentId: 'node' })];
      const stranger = subject.as({ userId: 'alice', tenantId: '00000000-0000-0000-0000-00000000000b' });
      const run = { workflowRunId: 'run 1' };
      const board = await alice.workflows.createPool({ ...run, ...POOL, type: 'blackboard' });
      const cache = await bob.workflows.createPool({ ...run, poolId: 'cache', type: 'tool_cache' });
      assert.deepEqual([board.workflowRunId, board.scope, board.scopeId], ['run 1', 'task', 'run 1']);
      await alice.workflows.createPool({ workflowRunId: 'run 2', poolId: 'other' });
      await bob.pools.append({ ...POOL, key: 'facts', items: ['from bob'] });
      await alice.pools.append({ ...POOL, key: 'facts', items: ['from alice'] });
      assert.deepEqual(await valueOf(bob, 'facts'), ['from bob', 'from alice']);
      await alice.pools.write({ poolId: cache.poolId, key: 'search', value: 'hit', ttlSeconds: 60 });
      await alice.working.set({ planId: 'run 1', key: 'k', value: 1 });
      const ids = async (memory: Memory, input: object): Promise<string[]> =>
        (await memory.workflows.listPools({ ...run, ...input })).pools.map(({ poolId }) => poolId).toSorted();
      assert.deepEqual(await ids(bob, {}), ['cache', 'p']);
      assert.deepEqual(await ids(bob, { type: 'blackboard' }), ['p']);
      assert.deepEqual(await ids(stranger, {}), []);
      assert.equal((await bob.pools.list(run)).count, 2);
      assert.equal((await bob.pools.list({})).count, 0);
      assert.equal(await stranger.pools.read({ ...POOL, key: 'facts' }), null);
      await failure('FORBIDDEN', bob.pools.delete(POOL));
      await failure('VALIDATION_FAILED', alice.pools.grant({ ...POOL, agentId: 'bob', level: 'read' }));

      assert.deepEqual(await bob.workflows.end(run), { ...run, deletedPools: 2, deletedValues: 1 });
      assert.deepEqual(await alice.workflows.end(run), { ...run, deletedPools: 0, deletedValues: 0 });
      assert.equal(await alice.pools.get(POOL), null);
      assert.equal((await alice.working.list({ planId: 'run 1' })).count, 0);
      assert.ok(await bob.pools.get({ poolId: 'other' }));
      // A plan is a run too.
      await alice.plans.create({ planId: 'run 2', goalEvent: 'g' });
      await alice.plans.delete({ planId: 'run 2', cascade: true });
      assert.equal(await bob.pools.get({ poolId: 'other' }), null);
    });
  });
}
