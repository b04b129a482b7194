/** Concurrent clients with compare-and-set, on every engine: what they were told must be explained by one order. */

import { expect, it, onTestFinished } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import type { Memory } from '../src/operations/memory.ts';
import { startEmbedded, startService } from './crash-subjects.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { checkHistories } from './history-clients.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

const SLOW = { timeout: 300_000 };
const PRINCIPAL = { userId: 'history' };

async function newFolder(): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

const opened = async (options?: Parameters<typeof openLamina>[0]): Promise<OpenLamina> =>
  untilTestEnds(await openLamina(options));

async function openDatabase(database: string): Promise<Memory> {
  const lamina = untilTestEnds(await Lamina.open({ database, embedder: new HashEmbedder() }));
  return lamina.as(PRINCIPAL);
}

/** Nobody may be so slow that nothing ever collides. */
async function check(name: string, nodes: readonly Memory[]): Promise<void> {
  expect((await checkHistories(name, nodes)).conflicts).toBeGreaterThan(0);
}

it('SQLite, embedded', SLOW, async () => {
  const { lamina } = await opened();
  await check('SQLite, embedded', [lamina.as(PRINCIPAL)]);
});

it('SQLite, two processes on one folder', SLOW, async () => {
  const folder = await newFolder();
  const processes = [await startEmbedded(`sqlite:${folder}`), await startEmbedded(`sqlite:${folder}`)];
  for (const { kill } of processes) onTestFinished(kill);
  await check(
    'SQLite, two processes',
    processes.map(({ memory }) => memory),
  );
});

it('the service over HTTP', SLOW, async () => {
  const { lamina } = await opened();
  const { url } = untilTestEnds(await serveLamina(lamina));
  const client = untilTestEnds(new LaminaClient({ url, retry: { maxAttempts: 1 } }));
  await check('SQLite, over HTTP', [client.as(PRINCIPAL)]);
});

it('PGlite', SLOW, async () => {
  await check('PGlite', [await openDatabase(`pglite:${await newFolder()}`)]);
});

describeOnPostgres('PostgreSQL', () => {
  it('embedded', SLOW, async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    await check('PostgreSQL', [await openDatabase(url)]);
  });

  it('two nodes of the service, to which clients go by turns', SLOW, async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const embeddings = await startEmbeddingServer();
    onTestFinished(() => embeddings.close());
    const environment = { LAMINA_DATABASE_URL: url, ...embeddings.environment };
    const folder = await newFolder();
    const nodes = [await startService(folder, environment), await startService(folder, environment)];
    for (const { kill } of nodes) onTestFinished(kill);
    await check(
      'PostgreSQL, two nodes',
      nodes.map(({ memory }) => memory),
    );
  });
});

describeOnRedis('Redis as the hot tier', () => {
  it('two that share it', SLOW, async () => {
    const redis = await RedisServer.create();
    onTestFinished(() => redis.close());
    const folder = await newFolder();
    const nodes = [await opened({ folder, redis: redis.url }), await opened({ folder, redis: redis.url })];
    await check(
      'SQLite and Redis, two that share them',
      nodes.map(({ lamina }) => lamina.as(PRINCIPAL)),
    );
  });
});
