/** Pools: what is refused, what races come to, how they look over HTTP. What every engine must do is in the contract. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { replaced } from '../src/compose/replay.ts';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { StateStore } from '../src/ports/state-store.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { WorkflowState } from '../src/workflow/workflow-state.ts';
import { engineWith } from './engine-with.ts';
import { caller } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const POOL = { poolId: 'p' };

async function open(options: Parameters<typeof openLamina>[0] = {}): Promise<OpenLamina> {
  return untilTestEnds(await openLamina(options));
}

async function memoryOf(userId = 'alice'): Promise<Memory> {
  return (await open()).lamina.as({ userId });
}

const deep = (levels: number): object => (levels === 0 ? {} : { d: deep(levels - 1) });

describe('pools refuse', () => {
  it.each([
    ['an unknown type', { type: 'public' }],
    ['a type of a workflow', { type: 'blackboard' }],
    ['an unknown scope', { scope: 'galaxy' }],
    ['a team without its id', { type: 'team_shared' }],
    ['a task without its id', { scope: 'task' }],
    ['an id for the whole tenant', { scope: 'global', scopeId: 'x' }],
    ['no time to live', { ttlSeconds: 0 }],
    ['a negative time to live', { ttlSeconds: -1 }],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['two ends', { ttlSeconds: 5, expiresAt: '2120-01-01T00:00:00Z' }],
    ['readers of what is private', { type: 'agent_private', access: { read: ['bob'] } }],
    ['everyone in what is private', { type: 'agent_private', access: { publicRead: true } }],
    ['a private pool of a team', { type: 'agent_private', scope: 'team', scopeId: 't' }],
    ['a level that there is not', { access: { admin: ['bob'] } }],
    ['an empty id in a list', { access: { write: [''] } }],
    ['a dot as id', { poolId: '.' }],
  ])('%s', async (_, input) => {
    const { pools } = await memoryOf();
    await expect(pools.create({ ...POOL, ...(input as object) })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await pools.list({})).count).toBe(0);
  });

  it.each([
    '',
    '.',
    '..',
    '.a',
    'a.',
    'a..b',
    '__proto__',
    'a.__proto__.b',
    'a\0b',
    'x'.repeat(101),
    `a.${'x'.repeat(101)}`,
    Array.from({ length: 32 }, () => 'x').join('.'),
  ])('the key %j', async (key) => {
    const { pools } = await memoryOf();
    await pools.create(POOL);
    const refused = { code: 'VALIDATION_FAILED' };
    await expect(pools.read({ ...POOL, key })).rejects.toMatchObject(refused);
    await expect(pools.write({ ...POOL, key, value: 1 })).rejects.toMatchObject(refused);
    await expect(pools.merge({ ...POOL, key, fields: {} })).rejects.toMatchObject(refused);
    await expect(pools.remove({ ...POOL, key })).rejects.toMatchObject(refused);
    expect((await pools.readAll(POOL)).count).toBe(0);
  });

  it('what would lie deeper than any JSON may, and take what just fits', async () => {
    const { pools } = await memoryOf();
    await pools.create(POOL);
    const key = Array.from({ length: 31 }, (_, n) => `k${n}`).join('.');
    await pools.write({ ...POOL, key, value: 1 });
    expect((await pools.merge({ ...POOL, key: key.slice(0, -4), fields: { x: 1 } })).value).toEqual({
      k30: 1,
      x: 1,
    });
    const refused = { code: 'VALIDATION_FAILED' };
    await expect(pools.write({ ...POOL, key: 'a.b.c', value: deep(29) })).rejects.toMatchObject(refused);
    await pools.write({ ...POOL, key: 'a.b.c', value: deep(28) });
    const { values } = await pools.readAll(POOL);
    for (const { key: first, value } of values) await pools.write({ ...POOL, key: first, value });
  });

  it('values without time to live, and grants of what is private', async () => {
    const { pools } = await memoryOf();
    await pools.create({ ...POOL, type: 'agent_private' });
    const refused = { code: 'VALIDATION_FAILED' };
    for (const ttlSeconds of [0, -5, 1.5]) {
      await expect(pools.write({ ...POOL, key: 'k', value: 1, ttlSeconds })).rejects.toMatchObject(refused);
    }
    await expect(pools.grant({ ...POOL, agentId: 'bob', level: 'read' })).rejects.toMatchObject(refused);
    await expect(pools.grant({ ...POOL, agentId: 'bob', level: 'all' as 'read' })).rejects.toMatchObject(refused);
    await expect(pools.update({ ...POOL, access: { publicRead: true } })).rejects.toMatchObject(refused);
    await expect(pools.update({ ...POOL, expiresAt: '2020-01-01T00:00:00Z' })).rejects.toMatchObject(refused);
    await expect(pools.list({ type: 'tool_cache' })).rejects.toMatchObject(refused);
    expect((await pools.get(POOL))?.access).toEqual({ read: [], write: [], publicRead: false });
  });

  it('more metadata than any may have', async () => {
    const { pools } = await memoryOf();
    await pools.create(POOL);
    const metadata = { long: 'x'.repeat(65_530) };
    const refused = { code: 'LIMIT_EXCEEDED', details: { limit: 65_536, actual: 65_541 } };
    await expect(pools.create({ metadata })).rejects.toMatchObject(refused);
    await expect(pools.update({ ...POOL, metadata })).rejects.toMatchObject(refused);
    expect((await pools.list({})).pools.map((pool) => pool.metadata)).toEqual([{}]);
  });

  it('to tell others than the owner who else has access', async () => {
    const { lamina } = await open();
    const of = (userId: string, agentId?: string): Memory['pools'] =>
      lamina.as({ userId, ...(agentId !== undefined && { agentId }) }).pools;
    await of('alice').create({ ...POOL, access: { read: ['bob', 'x'], write: ['carol'], publicRead: true } });
    const seen = [of('bob'), of('alice', 'x'), of('dan')].map(async (pools) => (await pools.get(POOL))?.access);
    expect(await Promise.all(seen)).toEqual([
      { read: ['bob'], write: [], publicRead: true },
      { read: ['x'], write: [], publicRead: true },
      { read: [], write: [], publicRead: true },
    ]);
    expect((await of('dan').list({})).pools[0]?.access.write).toEqual([]);
    expect(await of('bob').accessibleBy({ ...POOL, agentId: 'bob' })).toMatchObject({ read: true, write: false });
    // To have an agent by somebody's name does not make one that somebody.
    for (const pools of [of('bob'), of('bob', 'carol'), of('alice', 'x')]) {
      await expect(pools.accessibleBy({ ...POOL, agentId: 'carol' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await of('alice').accessibleBy({ ...POOL, agentId: 'carol' })).toMatchObject({ write: true });
  });

  it('more ids than a list may have', async () => {
    const { pools } = await memoryOf();
    const read = Array.from({ length: 1000 }, (_, n) => `u${n}`);
    await pools.create({ ...POOL, access: { read } });
    await expect(pools.grant({ ...POOL, agentId: 'one-more', level: 'read' })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    await pools.grant({ ...POOL, agentId: 'u7', level: 'write' });
    expect((await pools.get(POOL))?.access).toMatchObject({ write: ['u7'], read: { length: 999 } });
  });
});

describe('pools', () => {
  it("of an agent are that agent's and its user's, and a user can make one for an agent", async () => {
    const { lamina } = await open();
    const [user, x, y] = [undefined, 'x', 'y'].map((agentId) =>
      lamina.as({ userId: 'alice', ...(agentId && { agentId }) }),
    );
    const own = await x?.pools.create({ poolId: 'own', type: 'agent_private' });
    expect(own).toMatchObject({ agentId: 'x', scope: 'agent', scopeId: 'x' });
    await user?.pools.create({ poolId: 'given', type: 'agent_private', scopeId: 'x' });
    for (const poolId of ['own', 'given']) {
      await x?.pools.write({ poolId, key: 'k', value: 1 });
      expect(await user?.pools.read({ poolId, key: 'k' })).toMatchObject({ value: 1 });
      expect(await y?.pools.get({ poolId })).toBeNull();
    }
    await expect(y?.pools.create({ type: 'agent_private', scopeId: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('count the reads of a value', async () => {
    const { pools } = await memoryOf();
    await pools.create(POOL);
    await pools.write({ ...POOL, key: 'a.b', value: 1 });
    for (const key of ['a', 'a.b', 'a.c', 'z']) await pools.read({ ...POOL, key });
    await vi.waitFor(async () => expect(await pools.statistics(POOL)).toMatchObject({ entryCount: 1, accesses: 2 }));
    expect((await pools.read({ ...POOL, key: 'a' }))?.accessCount).toBe(2);
  });

  it('let one of many have the id of a pool that has expired, and keep what that one writes', async () => {
    const clock = new ManualClock();
    const { lamina } = await open({ clock });
    const users = Array.from({ length: 8 }, (_, n) => lamina.as({ userId: `u${n}` }).pools);
    await users[0]?.create({ ...POOL, ttlSeconds: 1 });
    await users[0]?.write({ ...POOL, key: 'old', value: 1 });
    clock.advance(1000);
    const made = await Promise.allSettled(
      users.map(async (pools, n) => {
        await pools.create(POOL);
        await pools.write({ ...POOL, key: `new${n}`, value: n });
      }),
    );
    const winner = made.findIndex(({ status }) => status === 'fulfilled');
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { values } = (await users[winner]?.readAll(POOL)) ?? { values: [] };
    expect(values.map(({ key }) => key)).toEqual([`new${winner}`]);
  });

  it.each(['is gone', 'has made room for another one'])(
    'keep nothing of a write that was under way when its pool was deleted, where that %s',
    async (end) => {
      const folder = await makeFolder();
      onTestFinished(() => removeFolder(folder));
      const engine = new SqliteEngine({ folder, clock: systemClock });
      const began = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const write: StateStore['write'] = async (principal, namespace, key, given) => {
        began.resolve();
        await held.promise;
        return engine.state.write(principal, namespace, key, given);
      };
      const state = replaced(engine.state, { write });
      const { lamina } = await open({ engine: engineWith(engine, { state }), folder });
      const { pools } = lamina.as({ userId: 'alice' });
      await pools.create(POOL);
      const writing = pools.write({ ...POOL, key: 'late', value: 1 });
      await began.promise;
      expect(await pools.delete(POOL)).toEqual({ success: true });
      if (end !== 'is gone') await pools.create(POOL);
      held.resolve();
      await expect(writing).rejects.toMatchObject({ code: 'NOT_FOUND' });
      if (end === 'is gone') await pools.create(POOL);
      expect((await pools.readAll(POOL)).values).toEqual([]);
      await pools.write({ ...POOL, key: 'late', value: 2 });
      expect((await pools.readAll(POOL)).count).toBe(1);
    },
  );

  it('end a quiet stream when it may not be followed any more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { lamina } = await open();
    const [alice, bob] = [lamina.as({ userId: 'alice' }), lamina.as({ userId: 'bob' })];
    await alice.pools.create(POOL);
    const { position: after } = await bob.events.position({});
    const changes = bob.pools.follow({ ...POOL, after })[Symbol.asyncIterator]();
    const next = changes.next();
    next.catch(() => {});
    await alice.pools.update({ ...POOL, access: {} });
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(next).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a workflow go when its state is cleaned up', async () => {
    const memory = await memoryOf();
    const state = new WorkflowState(memory, 'run');
    await memory.workflows.createPool({ workflowRunId: 'run', ...POOL });
    await memory.pools.write({ ...POOL, key: 'k', value: 1 });
    await state.set('a', 1);
    expect(await state.cleanup()).toBe(1);
    expect(await memory.pools.get(POOL)).toBeNull();
  });
});

describe('pools over HTTP', () => {
  it('have the paths, statuses, tags and spelling of the rest', async () => {
    const { lamina } = await open();
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = caller(`${url}/v1/memory/pools`, { 'X-User-ID': 'alice' });
    const bob = { 'X-User-ID': 'bob' };
    const made = await call('POST', '', { pool_id: 'p', access: { read: ['bob'] }, ttl_seconds: 60 });
    expect([made.status, made.json.access]).toEqual([201, { read: ['bob'], write: [], public_read: false }]);
    expect((await call('POST', '', { pool_id: 'p' })).status).toBe(409);
    const put = await call('PUT', '/p/data/caf%C3%A9%20menu.userId', { value: { userId: 1 } });
    expect([put.status, put.json.key, put.json.value, put.etag]).toEqual([
      200,
      'café menu.userId',
      { userId: 1 },
      `"${put.json.version}"`,
    ]);
    const stale = await call('PUT', '/p/data/caf%C3%A9%20menu', { value: 1 }, { 'If-Match': '"1000000"' });
    expect([stale.status, stale.json.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect((await call('PUT', '/p/data/caf%C3%A9%20menu', { value: 1 }, { 'If-None-Match': '*' })).status).toBe(409);
    const merged = await call('POST', '/p/data/caf%C3%A9%20menu.userId/merge', { fields: { b: 2 } });
    expect([merged.status, merged.json.value]).toEqual([200, { userId: 1, b: 2 }]);
    expect((await call('GET', '/p/data', undefined, bob)).json.values[0].value).toEqual({
      userId: { userId: 1, b: 2 },
    });
    const denied = await call('PUT', '/p/data/k', { value: 1 }, bob);
    expect([denied.status, denied.json.code]).toEqual([403, 'FORBIDDEN']);
    expect((await call('PUT', '/p/data/k', { value: 1 }, { 'X-User-ID': 'carol' })).status).toBe(404);
    expect((await call('GET', '/p/accessible-by/bob')).json).toEqual({
      pool_id: 'p',
      agent_id: 'bob',
      accessible: true,
      read: true,
      write: false,
    });
    expect((await call('POST', '/p/grants', { agent_id: 'bob', level: 'write' })).json.access.write).toEqual(['bob']);
    expect((await call('PUT', '/p/data/k', { value: 1 }, bob)).status).toBe(200);
    expect((await call('GET', '/p/statistics')).json).toMatchObject({ pool_id: 'p', entry_count: 2 });
    expect((await call('DELETE', '/p/grants/bob')).json.access).toEqual({ read: [], write: [], public_read: false });
    for (const path of ['/p', '/p/data', '/p/data/k', '/p/statistics', '/p/changes', '/p/accessible-by/bob']) {
      expect([path, (await call('GET', path, undefined, bob)).status]).toEqual([path, 404]);
    }
    expect((await call('DELETE', '/p/data/k')).status).toBe(204);
    expect((await call('DELETE', '/p/data/k')).status).toBe(404);
    expect((await call('PUT', '/p/data/a..b', { value: 1 })).status).toBe(400);
    expect((await call('DELETE', '/p')).status).toBe(204);
    const run = caller(`${url}/v1/memory/workflows/run-1`);
    expect((await run('POST', '/pools', { type: 'tool_cache' })).json).toMatchObject({ workflow_run_id: 'run-1' });
    expect((await run('POST', '/pools', { type: 'shared' })).status).toBe(400);
    expect((await run('GET', '/pools?type=tool_cache')).json.count).toBe(1);
    expect((await run('POST', '/end', {})).json).toEqual({
      workflow_run_id: 'run-1',
      deleted_pools: 1,
      deleted_values: 0,
    });
  });
});
