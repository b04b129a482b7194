/** `lamina copy` as a process: there and back, killed in the middle and started again, and its refusals. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngine } from '../src/compose/engines.ts';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Archive } from '../src/ports/archive.ts';
import { callCli } from './cli-caller.ts';
import { laminaOver } from './copy-data.ts';
import { holdingsOf } from './copy-view.ts';
import { LaminaProcess, runLamina, type Ended } from './lamina-process.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '0d000000-0000-4000-8000-000000000004';
const ENTRIES = 3000;
const BATCH = 500;

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

/** The address of a folder with so many entries, among them one with a past, and something of working memory. */
async function makeSource(entries: number): Promise<string> {
  const source = join(folder, 'source');
  const engine = new SqliteEngine({ folder: source, clock: systemClock });
  const lamina = await laminaOver(engine, systemClock);
  const memory = lamina.as({ tenantId: TENANT, userId: 'writer' });
  for (let first = 0; first < entries; first += BATCH) {
    const count = Math.min(BATCH, entries - first);
    await memory.addMany(
      Array.from({ length: count }, (_, index) => ({ content: `the memory number ${first + index}`, layer: 'user' })),
    );
  }
  const { memories } = await memory.list({ layer: 'user', limit: 1 });
  await memory.update({ id: memories[0]?.id ?? '', content: 'something else' });
  await memory.working.set({ planId: 'plan', key: 'key', value: { a: 1 } });
  await lamina.close();
  await engine.close();
  return `sqlite:${source}`;
}

async function withArchive<T>(address: string, look: (archive: Archive) => Promise<T>): Promise<T> {
  const engine = await openEngine({ databaseUrl: address });
  try {
    return await look(engine.archive);
  } finally {
    await engine.close();
  }
}

const copy = (from: string, to: string, ...more: string[]): Promise<Ended> =>
  runLamina(['copy', '--from', from, '--to', to, ...more]);

/** What the table at the end says of a collection: how much there is, and how much was copied now. */
function rowOf({ stdout }: Ended, collection: string): number[] {
  const row = new RegExp(`^  ${collection} +(\\d+) +(\\d+)$`, 'm').exec(stdout);
  return row?.slice(1).map(Number) ?? [];
}

/** Kills it when some entries, but not all of them, have arrived. */
async function killInTheMiddle(from: string, to: string): Promise<void> {
  const running = new LaminaProcess(['copy', '--from', from, '--to', to], folder);
  const arrived = async (): Promise<number> =>
    withArchive(to, async (archive) => (await archive.tallies(TENANT, 0)).entries.count).catch(() => 0);
  while ((await arrived()) < 200 && running.child.exitCode === null) await systemClock.sleep(10);
  running.child.kill('SIGKILL');
  await running.ended();
  const left = await arrived();
  expect(left).toBeGreaterThanOrEqual(200);
  expect(left).toBeLessThan(ENTRIES);
}

async function assertGoesOn(from: string, to: string): Promise<void> {
  await killInTheMiddle(from, to);
  const resumed = await copy(from, to);
  expect(resumed.code, resumed.stderr).toBe(0);
  const [inBoth, now = 0] = rowOf(resumed, 'entries');
  expect(inBoth).toBe(ENTRIES);
  expect(now).toBeGreaterThan(0);
  expect(now).toBeLessThanOrEqual(ENTRIES - 200);
  expect(await withArchive(to, holdingsOf)).toEqual(await withArchive(from, holdingsOf));
  expect(rowOf(await copy(from, to), 'entries')).toEqual([ENTRIES, 0]);
}

describe('lamina copy', () => {
  it('goes on where it was killed', async () => {
    await assertGoesOn(await makeSource(ENTRIES), `sqlite:${join(folder, 'target')}`);
  }, 120_000);

  it('copies to PGlite and back', async () => {
    const from = await makeSource(20);
    const pglite = `pglite:${join(folder, 'pglite')}`;
    const there = await copy(from, pglite, '--tenant', TENANT.toUpperCase());
    expect(there.code, there.stderr).toBe(0);
    expect(there.stdout).toContain(`Copied ${from} to ${pglite}: 1 tenant`);
    expect(rowOf(there, 'versions')).toEqual([1, 1]);
    expect(there.stderr).toMatch(/100% {2}\d+ of \d+/);
    const back = `sqlite:${join(folder, 'back')}`;
    expect((await copy(pglite, back)).code).toBe(0);
    expect(await withArchive(back, holdingsOf)).toEqual(await withArchive(from, holdingsOf));
  }, 60_000);

  it('ends with code 1 and says why where the target has other memory of a tenant', async () => {
    const from = await makeSource(3);
    const to = `sqlite:${join(folder, 'target')}`;
    const engine = await openEngine({ databaseUrl: to });
    const lamina = await laminaOver(engine, systemClock);
    for (const content of ['one', 'two', 'three', 'four']) {
      await lamina.as({ tenantId: TENANT, userId: 'other' }).add({ content, layer: 'user' });
    }
    await lamina.close();
    await engine.close();
    const { code, stderr } = await copy(from, to);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `other memory of tenant ${TENANT} than the source: entries: 3 in the source, 4 in the target`,
    );
  });

  it('is explained, and refuses what it does not understand', async () => {
    expect((await callCli(['help', 'copy'])).stdout).toContain('--from ADDRESS --to ADDRESS');
    const from = `sqlite:${folder}`;
    for (const [args, message] of [
      [[], '--from is missing.'],
      [['--from', from], '--to is missing.'],
      [['--from', from, '--to', 'mysql://host/db'], '--to accepts sqlite:FOLDER'],
      [['--from', from, '--to', `${from}/.`], 'are the same'],
      [['--from', from, '--to', 'sqlite:x', '--tenant', 'acme'], '--tenant accepts a UUID.'],
    ] as const) {
      const { code, stderr } = await callCli(['copy', ...args]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    }
    const missing = await copy(`sqlite:${join(folder, 'nowhere')}`, from);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
  });

  it('copies nothing from an empty folder', async () => {
    await mkdir(join(folder, 'empty'));
    const { code, stdout } = await copy(`sqlite:${join(folder, 'empty')}`, `sqlite:${join(folder, 'target')}`);
    expect(code).toBe(0);
    expect(stdout).toContain('0 tenants');
  });
});

describeOnPostgres('lamina copy to a PostgreSQL server', () => {
  it('goes on where it was killed, and back again', async () => {
    const database = await freshDatabase();
    try {
      const from = await makeSource(ENTRIES);
      await assertGoesOn(from, database.url);
      const back = `sqlite:${join(folder, 'back')}`;
      expect((await copy(database.url, back)).code).toBe(0);
      expect(await withArchive(back, holdingsOf)).toEqual(await withArchive(from, holdingsOf));
    } finally {
      await database.drop();
    }
  }, 180_000);
});
