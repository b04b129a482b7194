/** Backups of folders of SQLite files: whole, verified, never over something else, and brought back as they were. */

import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { rowSums } from './backup-rows.ts';
import { callCli } from './cli-caller.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const OTHER = NIL_TENANT.replaceAll('0', '3');
const FILE = `tenants/${NIL_TENANT}.db`;

interface BackedUp extends OpenLamina {
  readonly backup: string;
}

/** Two tenants, and what is left of a third, backed up while it is open. */
async function backedUp(): Promise<BackedUp> {
  const { lamina, folder, root } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'alice' });
  const life = new UserLife(memory, 'alice', 'quokkaquokka');
  await life.live();
  await root.keys.create({ name: 'robot', userId: 'robot' });
  await lamina.as({ tenantId: OTHER, userId: 'bob' }).add({ content: 'Bob likes chess', layer: 'user' });
  const gone = NIL_TENANT.replaceAll('0', '4');
  await lamina.as({ tenantId: gone, userId: 'root', roles: ['admin'] }).admin.eraseTenant({ tenantId: gone });
  // Writes down who read what, which is otherwise done later.
  await lamina.close();
  const opened = untilTestEnds(await openLamina({ folder }));
  await opened.lamina.as({ userId: 'alice' }).add({ content: 'Alice has a cat', layer: 'user' });
  const elsewhere = await makeFolder();
  onTestFinished(() => removeFolder(elsewhere));
  const backup = join(elsewhere, 'backups', 'monday');
  const { code, stderr } = await callCli(['backup', backup, '--database', `sqlite:${folder}`]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { ...opened, backup };
}

describe('lamina backup', () => {
  it('copies every row of every file while the folder is in use, for its owner only', async () => {
    const { folder, backup } = await backedUp();
    const names = ['system.db', FILE, `tenants/${OTHER}.db`];
    expect((await readdir(backup, { recursive: true })).toSorted()).toEqual(
      ['manifest.json', 'tenants', ...names].toSorted(),
    );
    for (const name of names) {
      expect(rowSums(join(backup, name))).toEqual(rowSums(join(folder, name)));
      expect((await stat(join(backup, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    expect((await stat(join(backup, 'manifest.json'))).mode & 0o777).toBe(0o600);
    expect((await callCli(['backup', 'verify', backup])).stdout).toContain('The backup is sound: 2 tenants');
  });

  it('is restored as it was, and opens', async () => {
    const { lamina, folder, backup, root } = await backedUp();
    const before = await root.admin.audit({});
    const restored = join(folder, 'restored');
    expect((await callCli(['restore', backup, '--to', `sqlite:${restored}`])).code).toBe(0);
    const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as {
      files: { name: string; rows: Record<string, number> }[];
    };
    for (const { name, rows } of manifest.files) {
      expect(rowSums(join(restored, name))).toEqual(rowSums(join(folder, name)));
      expect(rows).toEqual(countsIn(join(restored, name)));
    }
    const again = untilTestEnds(await openLamina({ folder: restored }));
    expect(await again.root.admin.audit({})).toEqual(before);
    expect(await again.root.admin.verifyAudit({})).toEqual(await root.admin.verifyAudit({}));
    const found = await again.lamina.as({ tenantId: OTHER, userId: 'bob' }).search({ query: 'chess' });
    expect(found.results.map(({ memory }) => memory.content)).toEqual(['Bob likes chess']);
    await lamina.close();
  });

  it('writes over nothing', async () => {
    const { folder, backup } = await backedUp();
    const where = ['--database', `sqlite:${folder}`];
    for (const args of [
      ['backup', backup, ...where],
      ['restore', backup, '--to', `sqlite:${folder}`],
    ]) {
      const { code, stderr } = await callCli(args);
      expect(code).not.toBe(0);
      expect(stderr).toContain('nothing is overwritten');
    }
    await mkdir(join(folder, 'empty'));
    expect((await callCli(['restore', backup, '--to', join(folder, 'empty')])).code).toBe(0);
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('tells what is wrong with a backup, and restores none of it', async () => {
    const { folder, backup } = await backedUp();
    const file = join(backup, FILE);
    const bytes = await readFile(file);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 100] = (flipped.at(-100) ?? 0) ^ 1;
    await writeFile(file, flipped);
    const restored = join(folder, 'restored');
    for (const args of [
      ['backup', 'verify', backup],
      ['restore', backup, '--to', restored],
    ]) {
      const said = await callCli(args);
      expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining(`${FILE} is not as it was written`) });
    }
    const told = await callCli(['backup', 'verify', backup, '--json']);
    expect(JSON.parse(told.stderr)).toMatchObject({ code: 'VALIDATION_FAILED', retryable: false });
    await writeFile(file, bytes);
    await appendFile(file, 'x');
    expect((await callCli(['backup', 'verify', backup])).stderr).toContain('and should have');
    await writeFile(join(backup, 'manifest.json'), '{}');
    expect(await callCli(['backup', 'verify', backup])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^VALIDATION_FAILED: The manifest.json of the backup cannot be read: format: [^\n]+\n$/,
      ),
    });
    expect((await callCli(['backup', 'verify', folder])).stderr).toContain('is no backup');
    expect(await readdir(folder)).not.toContain('restored');
  });

  it('leaves nothing behind when it is stopped', async () => {
    const { backup, folder } = await backedUp();
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    const args = ['backup', `${backup}-second`, '--database', `sqlite:${folder}`];
    expect((await callCli(args, { signal: controller.signal })).code).not.toBe(0);
    expect(await readdir(dirname(backup))).toEqual(['monday']);
  });

  it('says what lies about: what was never finished, and what is no part of it', async () => {
    const { backup, folder } = await backedUp();
    const left = `${backup}-second.0a1b2c3d.partial`;
    await mkdir(left);
    const made = await callCli(['backup', `${backup}-second`, '--database', `sqlite:${folder}`]);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`${left} was never finished`) });
    await writeFile(join(backup, 'tenants', 'notes.txt'), 'mine');
    const { code, stderr } = await callCli(['backup', 'verify', backup]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('tenants/notes.txt is no part of the backup')]);
  });

  it('refuses places where it cannot be, in one sentence', async () => {
    const { backup, folder } = await backedUp();
    const where = ['--database', `sqlite:${folder}`];
    const inside = await callCli(['backup', join(folder, 'monday'), ...where]);
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('lies in the data folder itself')]);
    const below = join(backup, 'manifest.json', 'below');
    for (const args of [
      ['backup', below, ...where],
      ['restore', backup, '--to', below],
    ]) {
      const { code, stderr } = await callCli(args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^UNAVAILABLE: [^\n]*\((ENOTDIR|EEXIST)\)\.[^\n]*\n/)]);
      expect(stderr).not.toContain('Unexpected');
    }
  });

  it('refuses what it is not for, and says what is', async () => {
    const { stderr } = await callCli(['backup', 'there', '--database', 'postgres://lamina@127.0.0.1/lamina']);
    expect(stderr).toContain('docs/backup.md');
  });

  it('gives a bundle of one moment: restored into a folder of its own, and exported from there', async () => {
    const { folder, backup, lamina } = await backedUp();
    await lamina.as({ tenantId: OTHER, userId: 'bob' }).add({ content: 'Bob likes go', layer: 'user' });
    const [moment, file] = [join(folder, 'moment'), join(folder, 'tenant.jsonl')];
    expect((await callCli(['restore', backup, '--to', moment])).code).toBe(0);
    const { code } = await callCli(['export', file, '--tenant', OTHER, '--database', `sqlite:${moment}`]);
    expect(code).toBe(0);
    const bundle = await readFile(file, 'utf8');
    expect([bundle.includes('Bob likes chess'), bundle.includes('Bob likes go')]).toEqual([true, false]);
    expect((await callCli(['backup', 'verify', backup])).code).toBe(0);
  });
});

function countsIn(file: string): Record<string, number> {
  const db = new Sqlite(file, { readonly: true });
  try {
    return Object.fromEntries(
      Object.keys(rowSums(file))
        .filter((name) => db.pragma(`table_list("${name}")`, { simple: true }) !== undefined)
        .filter((name) => (db.pragma(`table_list("${name}")`) as { type: string }[])[0]?.type === 'table')
        .toSorted()
        .map((name) => [name, (db.prepare(`SELECT count(*) AS n FROM "${name}"`).get() as { n: number }).n]),
    );
  } finally {
    db.close();
  }
}
