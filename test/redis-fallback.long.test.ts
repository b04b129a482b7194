/** The database in place of Redis, where more than one thing happens at a time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { RedisConnection } from '../src/engines/redis/redis-connection.ts';
import { RedisFallbackStore } from '../src/engines/redis/redis-fallback-store.ts';
import { RedisMover } from '../src/engines/redis/redis-mover.ts';
import { partsNamespace } from '../src/engines/redis/redis-parts.ts';
import { RedisStateStore } from '../src/engines/redis/redis-state-store.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import {
  agentNamespace,
  HOT_PREFIXES,
  INBOX_PREFIX,
  inboxNamespace,
  personalPrefixes,
  sentPrefix,
  sessionNamespace,
  workingNamespace,
} from '../src/domain/namespace.ts';
import type { Json } from '../src/domain/json.ts';
import type { Archive, ArchivedState } from '../src/ports/archive.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import type { OpenMemory } from '../src/testing/contract-subject.ts';
import { workingContract } from '../src/testing/contract-working.ts';
import { TENANT, userOf } from '../src/testing/engine-subject.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const PLACE = workingNamespace('plan');
const SESSION = sessionNamespace('u', '', 's');
const set = (value: Json, rest: Partial<StateWrite> = {}): StateWrite => ({
  mutation: { type: 'set', value },
  maxBytes: 10_000,
  ...rest,
});

interface Node {
  readonly engine: Engine;
  readonly redis: RedisStateStore;
  readonly store: RedisFallbackStore;
}

describeOnRedis('the database in place of Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.create(['--appendonly', 'yes', '--appendfsync', 'always']);
  });
  afterAll(() => server.close());

  /** A process of its own, as far as the stores can tell. */
  async function nodeIn(folder: string): Promise<Node> {
    const engine = new SqliteEngine({ folder, clock: systemClock });
    onTestFinished(() => engine.close());
    return nodeOn(engine);
  }

  async function nodeOn(engine: Engine): Promise<Node> {
    const connection = await RedisConnection.open({ prefix: 'lamina', url: server.url });
    onTestFinished(() => connection.close());
    await connection.tried();
    const redis = new RedisStateStore(connection, systemClock);
    return { engine, redis, store: new RedisFallbackStore({ connection, store: redis, engine, clock: systemClock }) };
  }

  async function emptyFolder(): Promise<string> {
    await server.ask('FLUSHALL');
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    return folder;
  }

  async function archived({ engine }: Node): Promise<readonly ArchivedState[]> {
    const { items } = await engine.archive.read(TENANT.tenantId, 'state', 1000);
    return items.filter(({ namespace }) => HOT_PREFIXES.some((prefix) => namespace.startsWith(prefix)));
  }

  it('gives back once what somebody had given back already when it died', async () => {
    const folder = await emptyFolder();
    const node = await nodeIn(folder);
    for (const key of ['a', 'b']) await node.engine.state.write(TENANT, SESSION, key, set(key));
    for (let count = 0; count < 3; count += 1) node.engine.state.touch(TENANT, SESSION, 'a');
    await expect.poll(async () => (await node.engine.state.measure(TENANT, SESSION)).accesses).toBe(3);
    const items = await archived(node);
    const before = await node.store.list(TENANT, SESSION, 10);
    expect(before.map(({ accessCount }) => accessCount)).toEqual([3, 0]);
    expect(await archived(node)).toEqual([]);
    // As if it had died in between: it is here, and still there.
    await node.engine.archive.write(TENANT.tenantId, 'state', items);
    const after = await nodeIn(folder);
    expect(await after.store.list(TENANT, SESSION, 10)).toEqual(before);
    expect(await archived(after)).toEqual([]);
  });

  it('gives back what a sweep of one tenant finds of that tenant, and of no other', async () => {
    const node = await nodeIn(await emptyFolder());
    const other = { ...TENANT, tenantId: '22222222-2222-4222-8222-222222222222' };
    for (const principal of [TENANT, other]) await node.engine.state.write(principal, SESSION, 'a', set('a'));
    const { signal } = new AbortController();
    const left = async ({ tenantId }: typeof other): Promise<number> =>
      (await node.engine.archive.read(tenantId, 'state', 10)).items.length;
    await node.store.sweep(signal, TENANT.tenantId);
    expect([await left(TENANT), await left(other)]).toEqual([0, 1]);
    await node.store.sweep(signal);
    expect(await left(other)).toBe(0);
  });

  it('lets the newer value win, and takes up what an abandoned claim has left', async () => {
    const node = await nodeIn(await emptyFolder());
    await node.engine.state.write(TENANT, PLACE, 'newer in Redis', set('old'));
    await node.redis.write(TENANT, PLACE, 'older in Redis', set('old'));
    await sleep(3);
    await node.redis.write(TENANT, PLACE, 'newer in Redis', set('new'));
    await node.engine.state.write(TENANT, PLACE, 'older in Redis', set('new'));
    await server.ask('SET', `lamina:{${TENANT.tenantId}}:m`, 'somebody who died', 'PX', '300');
    const items = await node.store.list(TENANT, PLACE, 10);
    expect(items.map(({ key, value }) => [key, value])).toEqual([
      ['newer in Redis', 'new'],
      ['older in Redis', 'new'],
    ]);
  });

  it('does not bring back whom somebody erases meanwhile', async () => {
    const folder = await emptyFolder();
    const [eraser, { engine, redis }] = [await nodeIn(folder), await nodeIn(folder)];
    const within = { prefix: INBOX_PREFIX, keyPrefix: sentPrefix('u') };
    const selection = { namespaces: [PLACE], prefixes: personalPrefixes('u'), within };
    for (const place of [PLACE, SESSION]) await engine.state.write(TENANT, place, 'k', set(place));
    let erasures = 0;
    const connection = await RedisConnection.open({ prefix: 'lamina', url: server.url });
    onTestFinished(() => connection.close());
    await connection.tried();
    // The real archive, and somebody who is quicker than whoever has just read from it.
    const read: Archive['read'] = async (tenantId, collection, limit, after) => {
      const page = await engine.archive.read(tenantId, collection, limit, after);
      if (page.items.length === 0) return page;
      erasures += 1;
      for (const place of [PLACE, SESSION]) await eraser.engine.state.clear(TENANT, place);
      await eraser.redis.eraseIn(TENANT.tenantId, selection);
      return page;
    };
    const mover = new RedisMover({ connection, database: engine.state, archive: { read }, now: () => Date.now() });
    await expect(mover.move(TENANT.tenantId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(erasures).toBe(1);
    expect(await redis.countTenant(TENANT.tenantId)).toBe(0);
  });

  it('loses nothing that was acknowledged, to any of two processes, through outages at any time', async () => {
    const folder = await emptyFolder();
    const nodes = [await nodeIn(folder), await nodeIn(folder)];
    const random = new SeededRandom(6);
    const expected = new Map<string, number>();
    const stop = new AbortController();
    // Each key has one writer, so that it is known what must stand there in the end.
    const writers = nodes.flatMap(({ store }, node) =>
      [0, 1, 2].map(async (writer) => {
        for (let value = 1; !stop.signal.aborted; value += 1) {
          const key = `${node} ${writer} ${value % 5}`;
          const isRemoval = value % 7 === 0;
          try {
            if (isRemoval) await store.remove(TENANT, PLACE, key);
            else await store.write(TENANT, PLACE, key, set(value));
            expected.set(key, isRemoval ? 0 : value);
          } catch {
            // Nobody knows: it is written again, until it is acknowledged.
            value -= 1;
          }
          await sleep(1);
        }
      }),
    );
    for (let outage = 0; outage < 3; outage += 1) {
      await sleep(30 + random.below(60));
      await server.kill();
      await sleep(30 + random.below(60));
      await server.start();
    }
    await sleep(50);
    stop.abort();
    await Promise.all(writers);
    const wanted = [...expected].filter(([, value]) => value !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const node of nodes) {
      const read = async (): Promise<Json> =>
        (await node.store.list(TENANT, PLACE, 100)).map(({ key, value }) => [key, value]);
      // Until both have found Redis again.
      await expect.poll(async () => [await read(), await archived(node)], { timeout: 10_000 }).toEqual([wanted, []]);
      expect(await node.redis.countTenant(TENANT.tenantId)).toBe(wanted.length);
    }
  });

  it('adds what was added meanwhile once, whoever dies over it, and what came since', async () => {
    const folder = await emptyFolder();
    const node = await nodeIn(folder);
    const { state, archive } = node.engine;
    const parts = partsNamespace(PLACE);
    const add = (...items: Json[]): StateWrite => ({ mutation: { type: 'append', items }, maxBytes: 10_000 });
    const count = (by: number): StateWrite => ({ mutation: { type: 'increment', by }, maxBytes: 100 });
    await node.redis.write(TENANT, PLACE, 'list', add('before'));
    await node.redis.write(TENANT, PLACE, 'number', count(1));
    await state.write(TENANT, parts, 'list', add('a', 'b'));
    await state.write(TENANT, parts, 'number', count(2));
    const connection = await RedisConnection.open({ prefix: 'lamina', url: server.url });
    onTestFinished(() => connection.close());
    await connection.tried();
    // As if it were cut off from the database when all is in Redis, and somebody adds more.
    let isDead = true;
    const database = {
      get: state.get.bind(state),
      remove: async (...call: Parameters<typeof state.remove>) => {
        if (isDead) throw new Error('It died.');
        return state.remove(...call);
      },
    } as typeof state;
    const mover = new RedisMover({ connection, database, archive, now: () => Date.now() });
    await expect(mover.move(TENANT.tenantId)).rejects.toThrow('It died.');
    expect((await node.redis.get(TENANT, PLACE, 'list'))?.value).toEqual(['before', 'a', 'b']);
    await state.write(TENANT, parts, 'list', add('c'));
    await expect(mover.move(TENANT.tenantId)).rejects.toThrow('It died.');
    isDead = false;
    await mover.move(TENANT.tenantId);
    await state.write(TENANT, parts, 'list', add('d'));
    await mover.move(TENANT.tenantId);
    expect(await archived(node)).toEqual([]);
    const items = await node.store.list(TENANT, PLACE, 10);
    expect(items.map(({ value }) => value)).toEqual([['before', 'a', 'b', 'c', 'd'], 3]);
  });

  it('keeps every item that was appended, by any of two processes, through outages at any time', async () => {
    const folder = await emptyFolder();
    const nodes = [await nodeIn(folder), await nodeIn(folder)];
    const random = new SeededRandom(12);
    const stop = new AbortController();
    const appended = new Set<string>();
    const tried = new Set<string>();
    let sum = 0;
    let unsure = 0;
    const writers = nodes.flatMap(({ store }, node) =>
      [0, 1].map(async (writer) => {
        for (let count = 0; !stop.signal.aborted; count += 1) {
          const item = `${node} ${writer} ${count}`;
          tried.add(item);
          await store
            .write(TENANT, PLACE, 'list', { mutation: { type: 'append', items: [item] }, maxBytes: 1_000_000 })
            .then(() => appended.add(item))
            .catch(() => {});
          await store
            .write(TENANT, PLACE, 'number', { mutation: { type: 'increment', by: 1 }, maxBytes: 100 })
            .then(() => (sum += 1))
            .catch(() => (unsure += 1));
          await sleep(1);
        }
      }),
    );
    for (let outage = 0; outage < 3; outage += 1) {
      await sleep(50 + random.below(60));
      await server.kill();
      await sleep(50 + random.below(60));
      await server.start();
    }
    await sleep(50);
    stop.abort();
    await Promise.all(writers);
    for (const node of nodes) await expect.poll(() => node.store.isUp, { timeout: 10_000 }).toBe(true);
    for (const { store } of nodes) {
      // Whichever comes first gives back what both have written.
      const list = ((await store.get(TENANT, PLACE, 'list'))?.value ?? []) as string[];
      expect(new Set(list).size).toBe(list.length);
      expect([...appended].filter((item) => !list.includes(item))).toEqual([]);
      expect(list.filter((item) => !tried.has(item))).toEqual([]);
      const number = Number((await store.get(TENANT, PLACE, 'number'))?.value);
      expect(number).toBeGreaterThanOrEqual(sum);
      expect(number).toBeLessThanOrEqual(sum + unsure);
    }
    expect(appended.size).toBeGreaterThan(20);
  });

  it('is moved under the policies of PostgreSQL too, whoever has written it', { timeout: 40_000 }, async () => {
    await server.ask('FLUSHALL');
    const database = await pgliteUnderTest();
    const engine = await database.open(systemClock);
    onTestFinished(() => engine.close());
    const { redis, store } = await nodeOn(engine);
    const [alice, bob] = [userOf('alice'), userOf('bob')];
    const sent = `${sentPrefix('alice')}"","k"]`;
    const places = [PLACE, sessionNamespace('alice', '', 's'), agentNamespace('alice', 'a', '')];
    await redis.write(alice, inboxNamespace('bob', ''), `${sent}!`, set('taken back meanwhile'));
    await redis.write(alice, places[1] ?? '', 'old', set('cleared meanwhile'));
    await server.kill();
    await expect.poll(() => store.get(alice, PLACE, 'k')).toBeNull();
    await store.clear(alice, places[1] ?? '');
    for (const place of places) await store.write(alice, place, 'k', set(place));
    await store.write(alice, inboxNamespace('bob', ''), sent, set('for bob'));
    await store.remove(alice, inboxNamespace('bob', ''), `${sent}!`);
    await store.write(alice, places[2] ?? '', 'l', {
      mutation: { type: 'append', items: [places[2] ?? ''] },
      maxBytes: 99,
    });
    await server.start();
    const inbox = async (): Promise<Json> =>
      (await store.list(bob, inboxNamespace('bob', ''), 10)).map(({ key, version }) => [key, version % 2]);
    await expect.poll(inbox, { timeout: 10_000 }).toEqual([[sent, 0]]);
    for (const place of places) expect((await store.get(alice, place, 'k'))?.value).toEqual(place);
    expect((await store.list(alice, places[2] ?? '', 10)).map(({ value }) => value)).toEqual([places[2], [places[2]]]);
    expect((await store.list(alice, places[1] ?? '', 10)).map(({ key }) => key)).toEqual(['k']);
    expect((await engine.archive.read(TENANT.tenantId, 'state', 10)).items).toEqual([]);
  });

  const open: OpenMemory = async (options) => {
    await server.ask('FLUSHALL');
    const { lamina, embedder, close } = await openLamina({ ...options, redis: server.url, redisFallback: 'database' });
    return { embedder, as: (principal) => lamina.as(principal), close };
  };
  describe('while Redis is there', () => {
    workingContract({ describe, it }, open);
  });
});
