/** PostgreSQL that goes away in the middle of something, or says nothing any more: what callers are told. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrateDatabase, openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { openPglite } from '../src/engines/postgres/pglite-driver.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import {
  connect,
  describeOnOwnPostgres,
  describeOnPostgres,
  execute,
  freshDatabase,
  ownServer,
  urlOf,
} from './postgres-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = { tenantId: '00000000-0000-4000-8000-00000000000a' };
const PID = 'SELECT pg_backend_pid() AS pid';

async function databaseAt(url: string, statementTimeoutMs = 30_000): Promise<PostgresDatabase> {
  const driver = await openServer({ url, poolSize: 2, preparesStatements: true });
  onTestFinished(() => driver.close());
  await migratePostgres(driver, { now: 0 });
  return new PostgresDatabase({ driver, clock: systemClock, statementTimeoutMs });
}

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  return url;
}

describeOnPostgres('a connection to PostgreSQL that is cut', () => {
  it('leaves the outcome of a write unknown, and says so', async () => {
    const url = await emptyDatabase();
    const database = await databaseAt(url);
    const writing = database.write(TENANT, 'SELECT pg_sleep(20) AS cut_me');
    writing.catch(() => {}); // It may fail while the connection that cut it is still being closed.
    const cut = `
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%cut_me%' AND pid <> pg_backend_pid()`;
    const admin = await connect(url);
    await expect.poll(async () => (await admin.query(cut)).rowCount).toBe(1);
    await admin.end();
    await expect(writing).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
  });

  it('before anything was to be committed has the work done again, once', async () => {
    const url = await emptyDatabase();
    const database = await databaseAt(url);
    let runs = 0;
    await database.transaction(TENANT, async (transaction) => {
      runs += 1;
      transaction.send('INSERT INTO lamina.tenants VALUES ($1, 0)', [TENANT.tenantId]);
      const { rows } = await transaction.query<{ pid: number }>(PID);
      if (runs === 1) await execute(url, `SELECT pg_terminate_backend(${rows[0]?.pid})`);
      await transaction.query(PID);
    });
    expect(runs).toBe(2);
    expect(await database.read(TENANT, 'SELECT id FROM lamina.tenants')).toHaveLength(1);
  });

  it('degrades the store while nobody listens for events, until somebody does again', { timeout: 30_000 }, async () => {
    const { url, name, drop } = await freshDatabase();
    onTestFinished(drop);
    await using lamina = await Lamina.open({ database: url, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'alice' });
    await memory.add({ content: 'Something', layer: 'user' });
    const controller = new AbortController();
    const following = memory.events.follow({ signal: controller.signal })[Symbol.asyncIterator]().next();
    following.catch(() => {});
    const store = async (): Promise<string | undefined> => (await lamina.health()).components['store']?.status;
    await expect.poll(store).toBe('healthy');
    const admin = await connect(urlOf(url, { database: 'postgres' }));
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND query LIKE 'LISTEN%'`;
    await expect.poll(async () => (await admin.query(listening)).rowCount, { timeout: 5000 }).toBe(1);
    await expect.poll(store, { timeout: 5000 }).toBe('degraded');
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await admin.end();
    await expect.poll(store, { timeout: 10_000 }).toBe('healthy');
    controller.abort();
    await following.catch(() => {});
  });
});

describeOnOwnPostgres('a PostgreSQL server that says nothing any more', () => {
  it('is given up, and asked again over another connection', { timeout: 40_000 }, async () => {
    const server = await ownServer({ fsync: 'off' });
    onTestFinished(() => server.close());
    const database = await databaseAt(server.url, 200);
    const [row] = await database.read<{ pid: number }>(TENANT, PID);
    const pid = row?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
    // A write is not repeated; a read goes over to a connection that answers.
    await expect(database.write(TENANT, PID)).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    const [other] = await database.read<{ pid: number }>(TENANT, PID);
    expect(other?.pid).not.toBe(pid);
  });
});

describeOnPostgres('addresses of a PostgreSQL database', () => {
  it('migrate by that of the owner alone, and are refused beside another engine', async () => {
    const databaseOwnerUrl = await emptyDatabase();
    const settings = { databaseUrl: 'sqlite:./never-made', databaseOwnerUrl };
    expect((await migrateDatabase(settings))?.applied.length).toBeGreaterThan(0);
    expect((await migrateDatabase(settings))?.applied).toEqual([]);
    await expect(openEngine(settings)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    const engine = await openEngine({ databaseUrl: databaseOwnerUrl, migrate: 'off' });
    expect(await engine.check()).toBeUndefined();
    await engine.close();
  });

  it('are not opened with migrations switched off where some are due', async () => {
    const opening = openEngine({ databaseUrl: await emptyDatabase(), migrate: 'off' });
    await expect(opening).rejects.toThrow(/lamina migrate/);
  });
});

it('a folder for PGlite that cannot be made is a mistake of the configuration', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(openPglite(join(file, 'x'))).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
});
