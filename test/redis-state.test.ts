/** State in a real Redis: the contract of state, and what only Redis has to show. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { RedisConnection } from '../src/engines/redis/redis-connection.ts';
import type { RedisStateStore } from '../src/engines/redis/redis-state-store.ts';
import type { Json } from '../src/domain/json.ts';
import type { Mutation } from '../src/domain/state.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import { OTHER_TENANT, TENANT } from '../src/testing/engine-subject.ts';
import { stateContract } from '../src/testing/state-contract.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openRedis, redisSubject } from './redis-subject.ts';

const PLACE = '["working","plan"]';
const set = (value: Json, rest: Partial<StateWrite> = {}): StateWrite => ({
  mutation: { type: 'set', value },
  maxBytes: 10_000,
  ...rest,
});

describeOnRedis('Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.create();
  });
  afterAll(() => server.close());

  async function open(): Promise<RedisStateStore> {
    const store = await openRedis(server, systemClock);
    onTestFinished(() => store.close());
    return store;
  }

  async function opened(): Promise<RedisStateStore> {
    await server.ask('FLUSHALL');
    return open();
  }

  stateContract(
    { describe, it },
    redisSubject(() => server),
  );

  it('ends a value by itself, and keeps by itself what was read often', async () => {
    const store = await opened();
    for (const key of ['rarely', 'often']) {
      await store.write(TENANT, PLACE, key, set(key, { expiresAt: Date.now() + 100 }));
    }
    for (let count = 0; count < 3; count += 1) store.touch(TENANT, PLACE, 'often', { accesses: 3, ms: 60_000 });
    await expect.poll(async () => await store.get(TENANT, PLACE, 'often')).toBeNull();
    await sleep(20);
    const left = [...(await server.everything()).keys()].filter((name) => name.includes(':s:'));
    expect(left).toEqual([expect.stringMatching(/often$/)]);
    expect((await store.frequent(TENANT.tenantId, '["working",', 3, 10)).map(({ key }) => key)).toEqual(['often']);
    // The list of keys still names what is gone, until somebody comes by.
    await store.sweep(new AbortController().signal);
    expect(JSON.stringify([...(await server.everything())])).not.toContain('rarely');
  });

  it('loses nothing of what many processes change at once, whatever the change', async () => {
    const stores = [await opened(), await open(), await open()];
    const change = (node: number, index: number): Mutation => {
      if (index % 3 === 0) return { type: 'increment', by: 1, path: ['deep', 'count'] };
      if (index % 3 === 1) return { type: 'append', items: ['x'], path: ['list'] };
      return { type: 'merge', fields: { [`${node} ${index}`]: 1 }, path: ['fields'] };
    };
    const writes = stores.flatMap((store, node) =>
      Array.from({ length: 60 }, (_, index) =>
        store.write(TENANT, PLACE, 'k', { mutation: change(node, index), maxBytes: 100_000 }),
      ),
    );
    const versions = (await Promise.all(writes)).map(({ version }) => version);
    expect(new Set(versions).size).toBe(180);
    const value = (await stores[0]?.get(TENANT, PLACE, 'k'))?.value as Record<string, object>;
    expect(value['deep']).toEqual({ count: 60 });
    expect(value['list']).toHaveLength(60);
    expect(Object.keys(value['fields'] ?? {})).toHaveLength(60);
  });

  it('appends without touching what stands there', async () => {
    const store = await opened();
    const append = (...items: Json[]): StateWrite => ({ mutation: { type: 'append', items }, maxBytes: 10_000 });
    const value = [[], {}, 9007199254740991, 1e300, 0.1, '"],[', 'ü\u{1f600}', null, [[[]]]];
    for (const item of value) await store.write(TENANT, PLACE, 'list', append(item));
    await store.write(TENANT, PLACE, 'list', append());
    expect((await store.get(TENANT, PLACE, 'list'))?.value).toEqual(value);
    expect((await store.write(TENANT, PLACE, 'none', append())).value).toEqual([]);
    await store.write(TENANT, PLACE, 'text', set('[1]'));
    await expect(store.write(TENANT, PLACE, 'text', append(1))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const full: StateWrite = { ...append('x'.repeat(100)), maxBytes: 50 };
    await expect(store.write(TENANT, PLACE, 'list', full)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('has names that carry the tenant, and scripts that it is given again when it has forgotten them', async () => {
    const store = await opened();
    await store.write(TENANT, PLACE, 'k', set(1));
    await server.ask('SCRIPT', 'FLUSH');
    await store.write(TENANT, PLACE, 'k', set(2));
    await store.write(OTHER_TENANT, PLACE, 'k', set(3));
    const names = [...(await server.everything()).keys()].filter((name) => name !== 'lamina:tenants');
    expect(names.length).toBeGreaterThanOrEqual(8);
    const tagged = [TENANT, OTHER_TENANT].map(({ tenantId }) => `lamina:{${tenantId}}:`);
    expect(names.filter((name) => !tagged.some((prefix) => name.startsWith(prefix)))).toEqual([]);
  });

  it('goes through namespaces of any size', async () => {
    const store = await opened();
    const keys = Array.from({ length: 300 }, (_, index) => `key ${String(index).padStart(3, '0')}`);
    await Promise.all(keys.map((key) => store.write(TENANT, PLACE, key, set(key))));
    await Promise.all(keys.slice(0, 70).map((key) => store.write(TENANT, `["working","${key}"]`, key, set(key))));
    expect((await store.list(TENANT, PLACE, 1000)).map(({ key }) => key)).toEqual(keys);
    expect((await store.list(TENANT, PLACE, 150, keys[99])).map(({ key }) => key)).toEqual(keys.slice(100, 250));
    expect(await store.measure(TENANT, PLACE)).toEqual({ count: 300, bytes: 300 * 9, accesses: 0 });
    expect(await store.frequent(TENANT.tenantId, '["working",', 0, 1000)).toHaveLength(370);
    expect(await store.countTenant(TENANT.tenantId)).toBe(370);
    expect(await store.clear(TENANT, PLACE)).toBe(300);
    expect(await store.countTenant(TENANT.tenantId)).toBe(70);
  });

  it('gives no version twice, though it lost everything', async () => {
    const store = await opened();
    const { version } = await store.write(TENANT, PLACE, 'k', set(1));
    await sleep(2);
    await server.ask('FLUSHALL');
    const again = await store.write(TENANT, PLACE, 'k', set(1));
    expect(again.version).toBeGreaterThan(version);
    expect([version % 2, again.version % 2]).toEqual([0, 0]);
  });

  it('says when it may throw values away, and refuses what it has no room for', async () => {
    const store = await opened();
    expect(await store.check()).toBeUndefined();
    onTestFinished(async () => {
      await server.ask('CONFIG', 'SET', 'maxmemory', '0');
      await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    });
    await store.write(TENANT, PLACE, 'k', set(1));
    await server.ask('CONFIG', 'SET', 'maxmemory', '1');
    await expect(store.write(TENANT, PLACE, 'k', set(2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await store.get(TENANT, PLACE, 'k'))?.value).toBe(1);
    await server.ask('CONFIG', 'SET', 'maxmemory', '100mb');
    await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await store.check()).toMatch(/allkeys-lru.*noeviction/);
  });

  it('is given up when it does not answer, and answers again when it can', async () => {
    const connection = await RedisConnection.open({ prefix: 'lamina', url: server.url, answerTimeoutMs: 150 });
    onTestFinished(() => connection.close());
    await connection.tried();
    await server.ask('CLIENT', 'PAUSE', '600', 'ALL');
    const lost = { code: 'UNAVAILABLE', details: { component: 'hot', outcome: 'unknown' } };
    await expect(connection.send(['SET', 'k', 'v'], 'writes')).rejects.toMatchObject(lost);
    await expect(connection.send(['GET', 'k'], 'reads')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect.poll(() => connection.send(['PING'], 'reads').catch(() => ''), { timeout: 5000 }).toBe('PONG');
  });
});
