/** Migrations of PostgreSQL: once, in order, by whoever comes first; and what is refused. */

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import type { PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { assertMigrated, migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { readMigrations, type Migration } from '../src/engines/sql/migrations.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import {
  describeOnOwnPostgres,
  describeOnPostgres,
  execute,
  freshDatabase,
  ownServer,
  urlOf,
} from './postgres-server.ts';
import { securedDatabase } from './secured-database.ts';

const known = readMigrations('postgres');
const names = known.map(({ name }) => name);

async function open(url: string): Promise<PostgresDriver> {
  const driver = await openServer({ url, poolSize: 2, preparesStatements: true });
  onTestFinished(() => driver.close());
  return driver;
}

/** An empty database until the test ends. */
async function empty(): Promise<string> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

/** The migrations of a Lamina of the future: those of today, and one more. */
function withNewer(sql: string): Migration[] {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync('sql', folder, { recursive: true });
  writeFileSync(join(folder, 'postgres', '9999_newer.sql'), sql);
  return readMigrations('postgres', pathToFileURL(`${folder}/`));
}

/** What the ledger says, by a connection of its own. */
async function ledger(url: string): Promise<unknown[]> {
  const connection = await (await open(url)).reserve();
  const { rows } = await connection.query('SELECT name FROM lamina.schema_migrations ORDER BY number');
  connection.release();
  return rows.map((row) => row['name']);
}

/** Migrates in a process of its own and answers with the names of what it applied. */
async function migrateElsewhere(url: string): Promise<string[]> {
  const program = `
    import { migratePostgres } from './src/engines/postgres/postgres-migrations.ts';
    import { openServer } from './src/engines/postgres/server-driver.ts';
    const driver = await openServer({ url: process.argv[1], poolSize: 1, preparesStatements: true });
    process.stdout.write(JSON.stringify((await migratePostgres(driver, { now: 0 })).applied));
    await driver.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    program,
    url,
  ]);
  return JSON.parse(stdout) as string[];
}

describeOnPostgres('migrations', () => {
  it('say of what was there before how far it is trusted, by its source, although the owner sees no row', async () => {
    const { ownerUrl, serviceUrl, superuserUrl, drop } = await securedDatabase();
    onTestFinished(drop);
    const sources = { user: 'user', agent: 'agent', tool_result: 'tool', import: 'outside' } as const;
    const memories = async (): Promise<unknown> => {
      await using lamina = await Lamina.open({ database: serviceUrl, embedder: new HashEmbedder() });
      const memory = lamina.as({ userId: 'u' });
      for (const type of Object.keys(sources) as (keyof typeof sources)[]) {
        await memory.add({ content: type, layer: 'user', source: { type } });
      }
      const { memories: listed } = await memory.list({ layer: 'user' });
      return Object.fromEntries(listed.map(({ source, trust }) => [source?.type, trust]));
    };
    await memories();
    await execute(superuserUrl, 'ALTER TABLE lamina.entries DROP COLUMN trust');
    await execute(superuserUrl, 'ALTER TABLE lamina.facts DROP COLUMN trust');
    await execute(superuserUrl, 'DELETE FROM lamina.schema_migrations WHERE number = 10');
    await migratePostgres(await open(ownerUrl), { now: 0 });
    expect(await memories()).toEqual(sources);
  });

  it('are applied once, in order, however many processes start at once', async () => {
    const url = await empty();
    const applied = await Promise.all([1, 2, 3].map(() => migrateElsewhere(url)));
    expect(applied.toSorted((one, other) => other.length - one.length)).toEqual([names, [], []]);
    expect(await ledger(url)).toEqual(names);
  });

  it('are refused when one was changed after it had been applied', async () => {
    const driver = await open(await empty());
    await migratePostgres(driver, { now: 0 });
    const migrations = known.map((each, index) => (index === 1 ? { ...each, checksum: 'another' } : each));
    const refusal = { code: 'CONFIGURATION_ERROR', message: expect.stringContaining(names[1] ?? '') };
    await expect(migratePostgres(driver, { now: 0, migrations })).rejects.toMatchObject(refusal);
    await expect(assertMigrated(driver, migrations)).rejects.toMatchObject(refusal);
  });

  it('of a newer Lamina are no obstacle to this one, unless they say that they are', async () => {
    const driver = await open(await empty());
    const harmless = withNewer('CREATE TABLE lamina.novelty (id int);');
    expect((await migratePostgres(driver, { now: 0, migrations: harmless })).version).toBe(9999);
    expect((await migratePostgres(driver, { now: 0 })).applied).toEqual([]);
    await expect(assertMigrated(driver)).resolves.toBeUndefined();

    const other = await open(await empty());
    const breaking = withNewer('-- breaking\nCREATE TABLE lamina.novelty (id int);');
    await migratePostgres(other, { now: 0, migrations: breaking });
    const refusal = { code: 'CONFIGURATION_ERROR', message: expect.stringContaining('Upgrade Lamina') };
    await expect(migratePostgres(other, { now: 0 })).rejects.toMatchObject(refusal);
    await expect(assertMigrated(other)).rejects.toMatchObject(refusal);
  });

  it('leave nothing of themselves when one fails, and can be tried again', async () => {
    const url = await empty();
    const driver = await open(url);
    const failing = withNewer('CREATE TABLE lamina.half (id int); SELECT 1 / 0;');
    await expect(migratePostgres(driver, { now: 0, migrations: failing })).rejects.toThrow();
    await expect(assertMigrated(driver)).rejects.toMatchObject({ message: expect.stringContaining('lamina migrate') });
    expect((await migratePostgres(driver, { now: 0 })).applied).toEqual(names);
    expect(await ledger(url)).toEqual(names);
  });

  it('need a role that may make tables, and a start that finds nothing to do does not', async () => {
    const secured = await securedDatabase();
    onTestFinished(() => secured.drop());
    const service = await open(secured.serviceUrl);
    expect(await migratePostgres(service, { now: 0 })).toEqual({ applied: [], version: known.at(-1)?.number });
    const newer = withNewer('CREATE TABLE lamina.novelty (id int);');
    await expect(migratePostgres(service, { now: 0, migrations: newer })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
    });
    const owner = await open(secured.ownerUrl);
    expect((await migratePostgres(owner, { now: 0, migrations: newer })).applied).toEqual(['9999_newer.sql']);
  });

  it('find the extension in whichever schema it was installed', async () => {
    const url = await empty();
    await execute(url, 'CREATE SCHEMA "Extra Types"; CREATE EXTENSION vector SCHEMA "Extra Types"');
    const driver = await open(url);
    expect((await migratePostgres(driver, { now: 0 })).applied).toEqual(names);
  });

  it('say what is missing where the server has no such database', async () => {
    const driver = await open(urlOf(await empty(), { database: 'lamina_nowhere' }));
    await expect(migratePostgres(driver, { now: 0 })).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });
});

describeOnOwnPostgres('migrations of a server that has never seen Lamina', () => {
  it('do not get in each other’s way, although its databases share the role', async () => {
    const server = await ownServer({ fsync: 'off' });
    onTestFinished(() => server.close());
    const databases = await Promise.all([1, 2, 3].map(() => freshDatabase(server.url)));
    const applied = await Promise.all(databases.map(({ url }) => migrateElsewhere(url)));
    expect(applied).toEqual([names, names, names]);
  });
});
