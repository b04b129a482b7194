/** Drills of the documented backups of PostgreSQL: a dump into a new database, and going back to a moment by the log. */

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { openEngine } from '../src/compose/engines.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { findPostgres, type PostgresInstallation } from './postgres-installation.ts';
import type { PostgresProcess } from './postgres-process.ts';
import { connect, describeOnOwnPostgres, execute, ownServer, urlOf } from './postgres-server.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

async function open(databaseUrl: string): Promise<Lamina> {
  const engine = await openEngine({ databaseUrl });
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  onTestFinished(() => lamina.close().catch(() => {}));
  return lamina;
}

/** Something of every kind, and an audit log. */
async function live(lamina: Lamina): Promise<void> {
  await new UserLife(lamina.as({ userId: 'alice' }), 'alice', 'quokkaquokka').live();
  await lamina.as({ userId: 'root', roles: ['admin'] }).keys.create({ name: 'robot', userId: 'robot' });
}

/** A checksum of all rows of each table but for those that are left out of dumps. */
async function rowSums(url: string, without: readonly string[] = []): Promise<Record<string, string>> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lamina' ORDER BY 1",
    );
    const sums: Record<string, string> = {};
    for (const { name } of rows.filter((table) => !without.includes(table.name))) {
      const sql = `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS sum FROM lamina.${name} t`;
      sums[name] = (await client.query<{ sum: string }>(sql)).rows[0]?.sum ?? '';
    }
    return sums;
  } finally {
    await client.end();
  }
}

function installed(): PostgresInstallation {
  const found = findPostgres();
  if (typeof found === 'string') throw new Error(found);
  return found;
}

async function server(settings?: Readonly<Record<string, string>>): Promise<PostgresProcess> {
  const started = await ownServer(settings);
  onTestFinished(() => started.close());
  return started;
}

function folder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `lamina-${name}-`));
  const { account } = installed();
  if (account) chownSync(path, account.uid, account.gid);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describeOnOwnPostgres('a backup of PostgreSQL', () => {
  it('by pg_dump is restored into a new database with every row', { timeout: TIMEOUT_MS }, async () => {
    const { url } = await server();
    await execute(url, 'CREATE DATABASE before');
    await execute(url, 'CREATE DATABASE after');
    const [before, after] = ['before', 'after'].map((database) => urlOf(url, { database })) as [string, string];
    const lamina = await open(before);
    await live(lamina);
    // Accesses are counted a moment later: nothing may be written between the dump and the comparison.
    await lamina.close();
    const { programs } = installed();
    const dump = join(folder('dump'), 'lamina.dump');
    const format = ['--format', 'custom', '--schema', 'lamina', '--exclude-table-data', 'lamina.events'];
    await run(join(programs, 'pg_dump'), [...format, '--file', dump, before]);
    await execute(after, 'CREATE EXTENSION vector');
    await run(join(programs, 'pg_restore'), ['--exit-on-error', '--dbname', after, dump]);
    expect(await rowSums(after, ['events'])).toEqual(await rowSums(before, ['events']));
    await stays(await open(after), await open(before));
  });

  it('by pg_dump as one whom policies bind is refused', { timeout: TIMEOUT_MS }, async () => {
    const { url } = await server();
    await live(await open(url));
    await execute(url, 'CREATE ROLE reader LOGIN IN ROLE pg_read_all_data');
    const args = ['--schema', 'lamina', urlOf(url, { user: 'reader' })];
    await expect(run(join(installed().programs, 'pg_dump'), args)).rejects.toThrow(/row-level security|row security/);
  });

  it('by base backup and archived log goes back to a moment', { timeout: TIMEOUT_MS }, async () => {
    const archive = folder('archive');
    const first = await server({
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f`,
      wal_level: 'replica',
      max_wal_senders: '4',
    });
    const lamina = await open(first.url);
    const alice = lamina.as({ userId: 'alice' });
    await alice.add({ content: 'Alice has a cat', layer: 'user' });
    const base = join(folder('base'), 'data');
    const { programs, account } = installed();
    await run(join(programs, 'pg_basebackup'), ['-d', first.url, '-D', base, '-c', 'fast', '-X', 'none'], {
      ...account,
    });
    const kept = await alice.add({ content: 'Alice has a dog', layer: 'user' });
    const moment = await timeOf(first.url);
    const later = await alice.add({ content: 'A mistake that should not have been', layer: 'user' });
    await lamina.close();
    await archived(first.url);
    await first.stop('fast');

    rmSync(join(first.folder, 'data'), { recursive: true });
    cpSync(base, join(first.folder, 'data'), { recursive: true });
    writeFileSync(
      join(first.folder, 'data', 'postgresql.auto.conf'),
      `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${moment}'\nrecovery_target_action = 'promote'\n`,
    );
    writeFileSync(join(first.folder, 'data', 'recovery.signal'), '');
    if (account) await run('chown', ['-R', `${account.uid}:${account.gid}`, join(first.folder, 'data')]);
    await run('chmod', ['700', join(first.folder, 'data')]);
    await first.start();
    await promoted(first.url);
    const restored = (await open(first.url)).as({ userId: 'alice' });
    expect((await restored.get({ id: kept.memory.id })).memory?.content).toBe('Alice has a dog');
    expect((await restored.get({ id: later.memory.id })).memory).toBeNull();
  });
});

/** Opens, answers, goes on, and its audit log holds. */
async function stays(restored: Lamina, before: Lamina): Promise<void> {
  const [now, then] = [restored, before].map((each) => each.as({ userId: 'root', roles: ['admin'] }));
  expect(await now?.admin.verifyAudit({})).toEqual(await then?.admin.verifyAudit({}));
  const alice = restored.as({ userId: 'alice' });
  const { results } = await alice.search({ query: 'quokkaquokka' });
  expect(results.length).toBeGreaterThan(0);
  await alice.add({ content: 'Alice goes on', layer: 'user' });
}

async function timeOf(url: string): Promise<string> {
  const client = await connect(url);
  try {
    // A commit after it has to be later.
    await client.query('SELECT pg_sleep(0.05)');
    const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    await client.query('SELECT pg_sleep(0.05)');
    return rows[0]?.now ?? '';
  } finally {
    await client.end();
  }
}

async function promoted(url: string): Promise<void> {
  const client = await connect(url);
  try {
    for (;;) {
      const { rows } = await client.query<{ waits: boolean }>('SELECT pg_is_in_recovery() AS waits');
      if (rows[0]?.waits === false) return;
      await client.query('SELECT 1 FROM pg_stat_activity LIMIT 1');
    }
  } finally {
    await client.end();
  }
}

/** Ends the segment of the log, and waits until the server has archived it. */
async function archived(url: string): Promise<void> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name');
    const isDone = 'SELECT coalesce(last_archived_wal >= $1, false) AS done FROM pg_stat_archiver';
    for (let tries = 0; tries < 600; tries += 1) {
      if ((await client.query<{ done: boolean }>(isDone, [rows[0]?.name])).rows[0]?.done === true) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('The server has not archived its log.');
  } finally {
    await client.end();
  }
}
