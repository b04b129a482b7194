/** The servers that tests run on: shared by all files, or of one's own; and what becomes of them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  connect,
  describeOnOwnPostgres,
  describeOnPostgres,
  execute,
  freshDatabase,
  ownServer,
  postgresServer,
} from './postgres-server.ts';

async function rows(url: string, statement: string): Promise<unknown[]> {
  const client = await connect(url);
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

describeOnPostgres('a fresh database', () => {
  it('is of its own, and gone afterwards, also under those who still use it', async () => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
    await execute(one.url, 'CREATE TABLE mine (id int)');
    expect(await rows(other.url, `SELECT 1 FROM pg_tables WHERE tablename = 'mine'`)).toEqual([]);
    const lingering = await connect(one.url);
    await Promise.all([one.drop(), other.drop()]);
    await expect(lingering.query('SELECT 1')).rejects.toThrow();
    const server = (await postgresServer()) ?? '';
    expect(await rows(server, `SELECT 1 FROM pg_database WHERE datname IN ('${one.name}', '${other.name}')`)).toEqual(
      [],
    );
  });

  it('has the extension at hand and sorts as people do', async () => {
    const { url, drop } = await freshDatabase();
    await execute(url, 'CREATE EXTENSION vector');
    const sorted = await rows(url, `SELECT w FROM unnest(ARRAY['b', 'B', 'a', 'A']) w ORDER BY w`);
    expect(sorted).toEqual(['a', 'A', 'b', 'B']);
    await drop();
  });
});

describeOnOwnPostgres('a server of one’s own', () => {
  it('keeps what was committed, through a clean stop and through a crash', async () => {
    const server = await ownServer();
    try {
      for (const mode of ['fast', 'immediate'] as const) {
        await execute(server.url, `CREATE TABLE after_${mode} (id int)`);
        await server.stop(mode);
        await expect(connect(server.url)).rejects.toThrow();
        await server.start();
      }
      expect(await rows(server.url, `SELECT 1 FROM pg_tables WHERE tablename LIKE 'after\\_%'`)).toEqual([1, 1]);
      expect(await rows(server.url, `SELECT current_setting('fsync')`)).toEqual(['on']);
    } finally {
      await server.close();
    }
    expect(existsSync(server.folder)).toBe(false);
  });

  it('is stopped and removed when the one who started it is killed', async () => {
    const program = `
      import { findPostgres } from './test/postgres-installation.ts';
      import { PostgresProcess } from './test/postgres-process.ts';
      const server = await PostgresProcess.create({ installation: findPostgres(), isDurable: false });
      process.stdout.write(server.folder);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [folder] = (await once(child.stdout, 'data')) as [Buffer];
    expect(existsSync(folder.toString())).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(folder.toString()), { timeout: 10_000 }).toBe(false);
  });
});
