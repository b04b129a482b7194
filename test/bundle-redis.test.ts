/** Bundles where working and short-term memory lie in Redis: they go along, to and fro, with their times to live. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openRedis } from '../src/compose/redis.ts';
import type { RedisFallback } from '../src/compose/redis-options.ts';
import { archiveEnd } from '../src/core/bundle/archive-end.ts';
import type { BundleEnd } from '../src/core/bundle/bundle-end.ts';
import { importBundle } from '../src/core/bundle/import-bundle.ts';
import { bundleLines } from '../src/core/bundle/write-bundle.ts';
import { COLLECTIONS } from '../src/domain/archive.ts';
import {
  agentNamespace,
  inboxNamespace,
  persistedNamespace,
  poolNamespace,
  sessionNamespace,
  workingNamespace,
} from '../src/domain/namespace.ts';
import type { Json } from '../src/domain/json.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { HotStore } from '../src/ports/hot-store.ts';
import type { StateStore, StateWrite } from '../src/ports/state-store.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { chunksOf, refusal } from './bundle-files.ts';
import { callCli } from './cli-caller.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '0a000000-0000-4000-8000-000000000001';
const OTHER = '0b000000-0000-4000-8000-000000000002';
const ALICE = { tenantId: TENANT, userId: 'alice' };
const HOUR_MS = 3_600_000;
const KEEPING = { accesses: 2, ms: 24 * HOUR_MS };
const PLAN = workingNamespace('plan');
const SESSION = sessionNamespace('alice', 'helper', 's');

const clock = new ManualClock();

/** A database, with Redis beside it where it has one. */
interface Side {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
}

function endOf({ engine: { archive, upkeep }, hot }: Side, tenantId = TENANT): BundleEnd {
  return archiveEnd({ archive, upkeep, clock, hotArchive: hot?.archive }, tenantId, { collections: COLLECTIONS });
}

async function exportOf(side: Side): Promise<string> {
  const from = endOf(side);
  const survey = await from.survey();
  const bundle = { from, survey, vectors: true, laminaVersion: '0', now: clock.now() };
  let text = '';
  for await (const lines of bundleLines(bundle)) text += lines;
  return text;
}

const importInto = (side: Side, text: string, tenantId = TENANT) =>
  importBundle({ chunks: chunksOf(text), openTarget: async () => endOf(side, tenantId) });

interface Row {
  readonly namespace: string;
  readonly key: string;
}

/** Every row of the state, in one order. */
async function stateOf(side: Side, tenantId = TENANT): Promise<Row[]> {
  const all: Row[] = [];
  for await (const { collection, items } of endOf(side, tenantId).pages(false)) {
    if (collection === 'state') all.push(...(items as readonly object[] as readonly Row[]));
  }
  const placeOf = ({ namespace, key }: Row): string => JSON.stringify([namespace, key]);
  return all.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

const set = (value: Json): StateWrite => ({
  mutation: { type: 'set', value },
  expiresAt: null,
  maxBytes: 1000,
});

/** More than a page of it, in every kind of namespace. */
async function fill({ engine, hot }: Side): Promise<void> {
  const store: StateStore = hot ?? engine.state;
  const write = (namespace: string, key: string, value: string, expiresAt: number | null = null) =>
    store.write(ALICE, namespace, key, { ...set(value), expiresAt });
  await Promise.all(Array.from({ length: 230 }, (_, count) => write(PLAN, `key ${count}`, `ünïcode ${count}`)));
  await store.write(ALICE, PLAN, 'list', set([]));
  await store.write(ALICE, PLAN, 'object', set({ empty: {}, large: 1e21, null: null }));
  await write(agentNamespace('alice', 'helper', ''), 'ключ', 'x', clock.now() + HOUR_MS);
  await write(inboxNamespace('alice', 'helper'), '["carol","a","k"]', 'x', clock.now() + HOUR_MS);
  await write(SESSION, 'kept', 'kept', clock.now() + 2 * HOUR_MS);
  await write(SESSION, 'ended', 'ended', clock.now() + 1);
  for (let count = 0; count < 3; count += 1) store.touch(ALICE, SESSION, 'kept', KEEPING);
  await engine.state.write(ALICE, poolNamespace('pool'), 'key', set('shared'));
  await engine.state.write(ALICE, persistedNamespace('alice', 'helper', ''), 'key', set('persisted'));
  clock.advance(1000);
}

describeOnRedis('bundles with Redis', () => {
  let server: RedisServer;
  const opened: Side[] = [];
  const folders: string[] = [];
  beforeAll(async () => {
    server = await RedisServer.create();
  });
  afterAll(() => server.close());
  beforeEach(() => server.ask('FLUSHALL'));
  afterEach(async () => {
    for (const { engine, hot } of opened.splice(0)) {
      await hot?.close();
      await engine.close();
    }
    for (const folder of folders.splice(0)) await removeFolder(folder);
  });

  async function sqlite(): Promise<Side> {
    const folder = await makeFolder();
    folders.push(folder);
    const side = { engine: new SqliteEngine({ folder, clock }), hot: undefined };
    opened.push(side);
    return side;
  }

  /** In one of its databases. */
  async function redis(number: number, fallback: RedisFallback = 'none', beside?: Engine): Promise<Side> {
    const engine = beside ?? (await sqlite()).engine;
    const side = { engine, hot: await openRedis({ url: `${server.url}/${number}`, fallback }, engine, clock) };
    opened.push(side);
    return side;
  }

  it('go from Redis to SQLite, to another Redis and into another tenant, twice as once', async () => {
    const source = await redis(0);
    await fill(source);
    const rows = await stateOf(source);
    expect(rows).toHaveLength(237);
    expect(rows.find(({ key }) => key === 'kept')).toMatchObject({ accessCount: 3, keptUntil: expect.any(String) });
    const bundle = await exportOf(source);
    const [plain, second] = [await sqlite(), await redis(1)];
    for (const [side, tenantId] of [
      [plain, TENANT],
      [second, TENANT],
      [second, OTHER],
    ] as const) {
      const { added, footer } = await importInto(side, bundle, tenantId);
      expect([added.state, footer.counts.state]).toEqual([237, 237]);
      expect(await stateOf(side, tenantId)).toEqual(rows);
      expect((await importInto(side, bundle, tenantId)).added.state).toBe(0);
      expect(await stateOf(side, tenantId)).toEqual(rows);
    }
    // Nothing of it is in the database, and back it is the same again.
    const { items } = await second.engine.archive.read(TENANT, 'state', 1000);
    expect(items.map(({ namespace }) => namespace)).toEqual([
      persistedNamespace('alice', 'helper', ''),
      poolNamespace('pool'),
    ]);
    expect(await exportOf(second)).toContain(bundle.split('\n').find((line) => line.includes('"kept"')));
  });

  it('go from SQLite to Redis, with times to live, under what is there and with higher versions after', async () => {
    const [source, target] = [await sqlite(), await redis(0)];
    await fill(source);
    await target.hot?.write(ALICE, PLAN, 'key 7', set('newer'));
    const there = (await stateOf(target))[0];
    const [bundle, rows] = [await exportOf(source), await stateOf(source)];
    await importInto(target, bundle);
    expect(await stateOf(target)).toEqual(rows.map((row) => (row.key === 'key 7' ? there : row)));
    const leftMs = async (namespace: string, key: string): Promise<number> =>
      Number(await server.ask('PTTL', `lamina:{${TENANT}}:s:${namespace.length}:${namespace}:${key}`));
    const agentMs = await leftMs(agentNamespace('alice', 'helper', ''), 'ключ');
    expect(agentMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(agentMs).toBeLessThanOrEqual(HOUR_MS - 1000);
    expect(await leftMs(SESSION, 'kept')).toBeGreaterThan(KEEPING.ms + HOUR_MS);
    expect(await leftMs(PLAN, 'list')).toBe(-1);
    const { latestVersion } = await endOf(source).survey();
    const next = await target.hot?.write(ALICE, PLAN, 'list', { ...set([1]), ifVersion: versionIn(rows, 'list') });
    expect(next?.version).toBeGreaterThan(latestVersion);
    expect((next?.version ?? 1) % 2).toBe(0);
    const inDatabase = await target.engine.state.write(ALICE, poolNamespace('pool'), 'key', set('again'));
    expect(inDatabase.version).toBeGreaterThan(latestVersion);
    // What has ended since the export does not come.
    clock.advance(3 * HOUR_MS);
    const late = await redis(2);
    await importInto(late, bundle);
    expect((await stateOf(late)).map(({ key }) => key)).not.toContain('ключ');
  });

  it('hold what is seen: not what the database had before Redis, unless it is moved there', async () => {
    const before = await sqlite();
    await before.engine.state.write(ALICE, PLAN, 'old', set('old'));
    await before.engine.state.write(ALICE, poolNamespace('pool'), 'key', set('shared'));
    // A note of a removal, for Redis when it is back. It is no value, and stays what it is.
    await before.engine.state.write(ALICE, '["working","plan",0]', 'gone', set(true));
    const other = await redis(1);
    await importInto(other, await exportOf(before));
    expect((await stateOf(other)).map(({ key }) => key)).toEqual(['key', 'old']);
    expect((await other.engine.archive.read(TENANT, 'state', 10)).items.map(({ key }) => key)).toEqual(['key', 'gone']);
    const strict = await redis(0, 'none', before.engine);
    expect((await stateOf(strict)).map(({ key }) => key)).toEqual(['key']);
    expect((await endOf(strict).survey()).counts.state).toBe(1);
    const moving = await redis(0, 'database', before.engine);
    expect((await stateOf(moving)).map(({ key }) => key)).toEqual(['key', 'old']);
    expect((await endOf(moving).survey()).counts.state).toBe(2);
  });

  it('go over services and by commands', async () => {
    const embeddings = await startEmbeddingServer();
    untilTestEnds({ close: async () => embeddings.close() });
    const [folder, first] = [await makeFolder(), await openLamina({ redis: `${server.url}/3` })];
    folders.push(folder);
    const target = untilTestEnds(await openLamina({ redis: `${server.url}/4` }));
    untilTestEnds(first);
    const planned = { planId: 'plan', key: 'k', value: { step: 1 }, ttlSeconds: 3600 } as const;
    const { version } = await first.lamina.as({ userId: 'alice' }).working.set(planned);
    const [from, to] = [
      untilTestEnds(await serveLamina(first.lamina)),
      untilTestEnds(await serveLamina(target.lamina)),
    ];
    const run = async (args: readonly string[], environment: Record<string, string> = {}): Promise<unknown> => {
      const { code, stdout, stderr } = await callCli([...args, '--json'], {
        environment: { ...embeddings.environment, ...environment },
      });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const [served, stored] = [join(folder, 'served.jsonl'), join(folder, 'stored.jsonl')];
    expect(await run(['export', served, '--url', from.url])).toMatchObject({ counts: { state: 1 } });
    expect(await run(['import', served, '--url', to.url])).toMatchObject({ added: { state: 1 } });
    const seen = await target.lamina.as({ userId: 'bob' }).working.get({ planId: 'plan', key: 'k' });
    expect(seen).toMatchObject({ value: { step: 1 }, version, expiresAt: expect.any(String) });

    const database = ['--database', `sqlite:${target.folder}`];
    expect(await run(['export', stored, ...database], { LAMINA_REDIS_URL: `${server.url}/4` })).toMatchObject({
      counts: { state: 1 },
    });
    const other = ['--database', `sqlite:${join(folder, 'other')}`];
    const fifth = { LAMINA_REDIS_URL: `${server.url}/5` };
    expect(await run(['import', stored, ...other], fifth)).toMatchObject({ added: { state: 1 } });
    expect(await run(['import', stored, ...other])).toMatchObject({ added: { state: 1 } });
  });

  it('are not made while Redis is away', async () => {
    const [absent, folder] = [await RedisServer.absent(), await makeFolder()];
    untilTestEnds(absent);
    folders.push(folder);
    const { engine } = await sqlite();
    await engine.state.write(ALICE, poolNamespace('pool'), 'key', set('shared'));
    const [file, environment] = [join(folder, 'x.jsonl'), { LAMINA_REDIS_URL: absent.url }];
    const args = ['export', file, '--tenant', TENANT, '--database', `sqlite:${folders[0]}`];
    for (const fallback of ['none', 'database']) {
      const { code, stderr } = await callCli(args, {
        environment: { ...environment, LAMINA_REDIS_FALLBACK: fallback },
      });
      const problem = expect.stringMatching(/^UNAVAILABLE: Redis at .* cannot be reached/);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: problem });
    }
    expect(await readdir(folder)).not.toContain('x.jsonl');
    const { root } = untilTestEnds(await openLamina({ redis: absent.url, redisFallback: 'database' }));
    const item = { namespace: PLAN, key: 'k', value: 1, version: 1, accessCount: 0, ...times() };
    for (const work of [
      () => root.admin.exportPage({}),
      () => root.admin.importPage({ collection: 'state', items: [item] }),
    ]) {
      expect(await refusal(work())).toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/^Redis, where/),
      });
    }
  });
});

function versionIn(rows: readonly Row[], key: string): number {
  return (rows.find((row) => row.key === key) as (Row & { version: number }) | undefined)?.version ?? 0;
}

function times(): { createdAt: string; updatedAt: string } {
  const at = new Date(clock.now()).toISOString();
  return { createdAt: at, updatedAt: at };
}
