/** `kill -9` under load on PostgreSQL: the service, and the database under it. */

import { expect, it, onTestFinished } from 'vitest';
import { CRASH_TIMEOUT_MS, surviveCrashes } from './crash-rounds.ts';
import { startService, type RunningSubject } from './crash-subjects.ts';
import { examine } from './doctor-caller.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { crashPostgres, POSTGRES_CRASHES } from './postgres-crash.ts';
import type { PostgresProcess } from './postgres-process.ts';
import { connect, describeOnOwnPostgres, freshDatabase, ownServer } from './postgres-server.ts';
import { expectSoundPostgres } from './postgres-soundness.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** Those of the service, of which any may be in the middle of something. */
const SELECT_SESSIONS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;

interface World {
  readonly server: PostgresProcess;
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<RunningSubject>;
}

async function world(): Promise<World> {
  const server = await ownServer();
  onTestFinished(() => server.close());
  const { url } = await freshDatabase(server.url);
  const embeddings = await startEmbeddingServer();
  onTestFinished(() => embeddings.close());
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const environment = { LAMINA_DATABASE_URL: url, ...embeddings.environment };
  return { server, url, environment, start: () => startService(folder, environment) };
}

async function sessionsOf(url: string): Promise<number[]> {
  const client = await connect(url);
  try {
    return (await client.query<{ pid: number }>(SELECT_SESSIONS)).rows.map(({ pid }) => pid);
  } finally {
    await client.end();
  }
}

async function inspect(url: string, isThorough: boolean): Promise<void> {
  const client = await connect(url);
  try {
    await expectSoundPostgres(client, isThorough);
  } finally {
    await client.end();
  }
}

async function assertHealthy(environment: World['environment']): Promise<void> {
  const { found } = await examine(['--deep'], environment);
  const problems = Object.values(found).flatMap((findings) => findings.filter(({ state }) => state === 'problem'));
  expect(problems).toEqual([]);
}

describeOnOwnPostgres('kill -9 under load on PostgreSQL', () => {
  it('the service loses nothing that it acknowledged', { timeout: CRASH_TIMEOUT_MS }, async () => {
    const { url, environment, start } = await world();
    let running = await start();
    onTestFinished(() => running.kill());
    await surviveCrashes({
      name: 'the service on PostgreSQL',
      memory: () => running.memory,
      kill: async () => {
        await running.kill();
        // What the server was told before it may still do.
        await expect.poll(() => sessionsOf(url), { timeout: 20_000 }).toEqual([]);
      },
      restart: async () => void (running = await start()),
      inspect: (isThorough) => inspect(url, isThorough),
    });
    expect(await running.end()).toBe(0);
    await assertHealthy(environment);
  });

  it('nor does the database, and the service goes on by itself', { timeout: CRASH_TIMEOUT_MS }, async () => {
    const { server, url, environment, start } = await world();
    const running = await start();
    onTestFinished(() => running.kill());
    let isDown = false;
    let count = 0;
    await surviveCrashes({
      name: 'PostgreSQL under the service',
      livesOn: true,
      memory: () => running.memory,
      kill: async (random) => {
        const crash = POSTGRES_CRASHES[count % POSTGRES_CRASHES.length] ?? 'everything';
        count += 1;
        isDown = crash !== 'session';
        await crashPostgres(server, crash, random.pick(await sessionsOf(url)));
      },
      restart: async () => {
        if (isDown) await server.start();
        await expect
          .poll(
            () =>
              running.memory.stats().then(
                () => true,
                () => false,
              ),
            { timeout: 30_000 },
          )
          .toBe(true);
      },
      inspect: (isThorough) => inspect(url, isThorough),
    });
    expect(await running.end()).toBe(0);
    await assertHealthy(environment);
  });
});
