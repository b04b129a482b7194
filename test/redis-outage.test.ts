/** Redis that is down, comes back, or never was there: what callers are told, without and with the database instead. */

import { expect, it } from 'vitest';
import type { LaminaOptions } from '../src/compose/lamina-options.ts';
import type { Memory } from '../src/operations/memory.ts';
import { runLamina } from './lamina-process.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

const UNREACHABLE = { code: 'UNAVAILABLE', message: expect.stringContaining('Redis') as string };

async function lasting(...settings: string[]): Promise<RedisServer> {
  // What was acknowledged is on the disk.
  return untilTestEnds(await RedisServer.create(['--appendonly', 'yes', '--appendfsync', 'always', ...settings]));
}

async function open(
  server: RedisServer,
  options: Partial<LaminaOptions> = {},
): Promise<OpenLamina & { memory: Memory }> {
  const { embedder: _own, ...rest } = options;
  const opened = untilTestEnds(await openLamina({ redis: server.url, ...rest }));
  return { ...opened, memory: opened.lamina.as({ userId: 'alice' }) };
}

const valueOf = async (memory: Memory, key: string): Promise<unknown> =>
  (await memory.working.get({ planId: 'p', key }))?.value;

describeOnRedis('Redis that goes down', () => {
  it('is told at once and by name, and serves again when it is back, with all that it had', async () => {
    const server = await lasting();
    const { lamina, memory } = await open(server);
    await memory.working.set({ planId: 'p', key: 'k', value: 'kept' });
    expect((await lamina.health()).components['hot']).toEqual({ status: 'healthy' });
    await server.kill();
    const started = performance.now();
    await expect(memory.working.get({ planId: 'p', key: 'k' })).rejects.toMatchObject(UNREACHABLE);
    await expect(memory.working.set({ planId: 'p', key: 'k', value: 1 })).rejects.toMatchObject(UNREACHABLE);
    expect(performance.now() - started).toBeLessThan(2000);
    // Everything else goes on.
    await memory.add({ content: 'Something else', layer: 'user' });
    const report = await lamina.health();
    expect([report.status, report.components['hot']?.status]).toEqual(['degraded', 'unhealthy']);
    await server.start();
    await expect.poll(() => valueOf(memory, 'k').catch(() => ''), { timeout: 10_000 }).toBe('kept');
    expect((await lamina.health()).status).toBe('healthy');
  });

  it('says of a write that was under way that nobody knows', async () => {
    const server = await lasting();
    const { memory } = await open(server);
    await memory.working.set({ planId: 'p', key: 'n', value: 0 });
    await server.ask('CLIENT', 'PAUSE', '10000', 'WRITE');
    const writing = memory.working.set({ planId: 'p', key: 'n', value: 1 });
    writing.catch(() => {});
    await server.kill();
    await expect(writing).rejects.toMatchObject({ ...UNREACHABLE, details: { outcome: 'unknown' } });
  });
});

describeOnRedis('Redis at the start', () => {
  it('stops it when it is not there, and says what to do', async () => {
    const server = untilTestEnds(await RedisServer.absent());
    await expect(openLamina({ redis: server.url })).rejects.toThrow(/ECONNREFUSED.*LAMINA_REDIS_FALLBACK=database/s);
    const { lamina, memory } = await open(server, { redisFallback: 'database' });
    await memory.working.set({ planId: 'p', key: 'k', value: 1 });
    expect(await valueOf(memory, 'k')).toBe(1);
    expect((await lamina.health()).components['hot']).toMatchObject({ status: 'degraded' });
  });

  it('stops it when there is no database of its number, whatever stands in', async () => {
    const server = untilTestEnds(await RedisServer.create());
    for (const redisFallback of ['none', 'database'] as const) {
      await expect(openLamina({ redis: `${server.url}/99`, redisFallback })).rejects.toMatchObject({
        code: 'CONFIGURATION_ERROR',
        message: expect.stringContaining('/99 has no database of the number'),
      });
    }
  });

  it('stops it when the password is wrong, whatever stands in, and does not show it', async () => {
    const server = untilTestEnds(await RedisServer.create(['--requirepass', 'right']));
    const url = (password: string): string => server.url.replace('//', `//:${password}@`);
    for (const redisFallback of ['none', 'database'] as const) {
      const opening = openLamina({ redis: url('wr0ng'), redisFallback });
      await expect(opening).rejects.toMatchObject({
        code: 'CONFIGURATION_ERROR',
        message: expect.not.stringContaining('wr0ng'),
      });
    }
    await expect(openLamina({ redis: server.url })).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    const { lamina } = untilTestEnds(await openLamina({ redis: url('right') }));
    expect((await lamina.health()).status).toBe('healthy');
  });

  it('stops it when the address is none', async () => {
    for (const redis of ['localhost:6379', 'http://localhost', 'redis://localhost/name', 'redis://']) {
      await expect(openLamina({ redis })).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    }
  });

  it('stops the service with one sentence', async () => {
    const server = untilTestEnds(await RedisServer.absent());
    const url = server.url.replace('//', '//:secret@');
    const { code, stdout, stderr } = await runLamina(['serve', '--port', '0'], { LAMINA_REDIS_URL: url });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/Redis at .* cannot be reached/);
    expect(stdout + stderr).not.toContain('secret');
  });
});

describeOnRedis('the database in place of Redis', () => {
  const settings = { redisFallback: 'database' } as const;

  it('takes over, and gives everything back when Redis is there again', async () => {
    const server = await lasting();
    const { lamina, memory } = await open(server, settings);
    const before = await memory.working.set({ planId: 'p', key: 'before', value: 'in Redis' });
    await memory.working.set({ planId: 'p', key: 'both', value: 'old' });
    await memory.working.set({ planId: 'p', key: 'removed', value: 'old' });
    await memory.working.set({ planId: 'cleared', key: 'k', value: 'old' });
    await server.kill();
    await expect.poll(() => valueOf(memory, 'before')).toBeUndefined();
    const both = await memory.working.set({ planId: 'p', key: 'both', value: 'new', ttlSeconds: 600 });
    const counted = await memory.working.increment({ planId: 'p', key: 'n', by: 5 });
    expect([before.version % 2, both.version % 2, counted.version % 2]).toEqual([0, 1, 1]);
    // A version of the one is none of the other.
    const conflict = { code: 'VERSION_CONFLICT', details: { currentVersion: both.version } };
    const stale = { planId: 'p', key: 'both', value: 'x', ifVersion: before.version };
    await expect(memory.working.set(stale)).rejects.toMatchObject(conflict);
    await memory.working.set({ planId: 'p', key: 'cas', value: 1 });
    const cas = await memory.working.get({ planId: 'p', key: 'cas' });
    await memory.working.set({ planId: 'p', key: 'cas', value: 2, ifVersion: cas?.version ?? -1 });
    await expect(
      memory.working.delete({ planId: 'p', key: 'cas', ifVersion: cas?.version ?? -1 }),
    ).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await memory.working.delete({ planId: 'p', key: 'removed' });
    await memory.working.clear({ planId: 'cleared' });
    expect((await lamina.health()).components['hot']).toMatchObject({ status: 'degraded' });

    await server.start();
    await expect.poll(() => valueOf(memory, 'before'), { timeout: 10_000 }).toBe('in Redis');
    expect((await lamina.health()).status).toBe('healthy');
    const items = (await memory.working.list({ planId: 'p' })).items;
    expect(items.map(({ key, value }) => [key, value])).toEqual([
      ['before', 'in Redis'],
      ['both', 'new'],
      ['cas', 2],
      ['n', 5],
    ]);
    expect(items.every(({ version }) => version % 2 === 0)).toBe(true);
    expect(items.find(({ key }) => key === 'both')).toMatchObject({
      updatedAt: both.updatedAt,
      expiresAt: both.expiresAt,
    });
    expect((await memory.working.list({ planId: 'cleared' })).items).toEqual([]);
    const odd = { planId: 'p', key: 'both', value: 'x', ifVersion: both.version };
    await expect(memory.working.set(odd)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    // It lies in Redis now, and there only.
    await server.kill();
    await expect.poll(() => valueOf(memory, 'both')).toBeUndefined();
  });

  it('adds to what lies in Redis, and refuses what would have to know it', async () => {
    const server = await lasting();
    const first = await open(server, settings);
    const second = await open(server, { folder: first.folder, ...settings });
    const [a, b] = [first.memory.working, second.memory.working];
    const place = (key: string): { planId: string; key: string } => ({ planId: 'p', key });
    await a.append({ ...place('list'), items: ['before'] });
    await a.increment({ ...place('number'), by: 40 });
    await a.merge({ ...place('object'), fields: { kept: 1, changed: 1 } });
    for (const key of ['set', 'removed']) await a.append({ ...place(key), items: ['old'] });
    await a.set({ ...place('misfit'), value: 'a text' });
    await server.kill();
    for (const { memory } of [first, second]) await expect.poll(() => valueOf(memory, 'list')).toBeUndefined();

    await a.append({ ...place('list'), items: ['a'] });
    const seen = await b.append({ ...place('list'), items: ['b'] });
    expect([seen.value, seen.version % 2]).toEqual([['a', 'b'], 1]);
    for (const working of [a, b]) await working.increment({ ...place('number'), by: 1 });
    await a.merge({ ...place('object'), fields: { changed: 2, added: 2 } });
    await a.append({ ...place('set'), items: ['gone'] });
    await b.set({ ...place('set'), value: ['whole'] });
    await a.append({ ...place('set'), items: ['more'] });
    await a.delete(place('removed'));
    await b.append({ ...place('removed'), items: ['anew'] });
    await a.append({ ...place('misfit'), items: ['newer'] });
    expect((await a.list({ planId: 'p' })).items.map(({ key }) => key)).toEqual(
      ['list', 'misfit', 'number', 'object', 'removed', 'set'], // One each, whole or not.
    );
    // Nobody knows what stands there, or what would come of the two.
    for (const refused of [
      a.set({ ...place('unseen'), value: 1, ifVersion: 0 }),
      a.set({ ...place('list'), value: [], ifVersion: seen.version }),
      a.delete({ ...place('list'), ifVersion: seen.version }),
      a.increment({ ...place('list'), by: 1 }),
    ]) {
      await expect(refused).rejects.toMatchObject(UNREACHABLE);
    }
    await a.delete(place('unseen'));
    await a.set({ ...place('unseen'), value: 1, ifVersion: 0 });

    await server.start();
    const values = async (working: typeof a): Promise<unknown> =>
      Object.fromEntries((await working.list({ planId: 'p' })).items.map(({ key, value }) => [key, value]));
    const expected = {
      list: ['before', 'a', 'b'],
      misfit: ['newer'],
      number: 42,
      object: { kept: 1, changed: 2, added: 2 },
      removed: ['anew'],
      set: ['whole', 'more'],
      unseen: 1,
    };
    for (const working of [a, b]) await expect.poll(() => values(working), { timeout: 10_000 }).toEqual(expected);
    const after = await b.append({ ...place('list'), items: ['after'] });
    expect([after.value, after.version % 2]).toEqual([['before', 'a', 'b', 'after'], 0]);
  });

  it('also gives back what was there before Redis, to every process', async () => {
    const server = await lasting();
    const first = untilTestEnds(await openLamina());
    const { folder } = first;
    const earlier = first.lamina.as({ userId: 'alice' });
    const keys = Array.from({ length: 210 }, (_, index) => `k${String(index).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => earlier.working.set({ planId: 'p', key, value: key })));
    await first.lamina.close();
    const nodes = [await open(server, { folder, ...settings }), await open(server, { folder, ...settings })];
    const counts = nodes.map(async ({ lamina, memory }) => {
      const values = await Promise.all(keys.map((key) => valueOf(memory, key)));
      expect(values).toEqual(keys);
      return lamina;
    });
    await Promise.all(counts);
    expect([...(await server.everything()).keys()].filter((name) => name.includes(':s:'))).toHaveLength(210);
  });
});
