/** Erasing a tenant that another process has open: it notices, and nothing that it acknowledged goes uncounted. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { filesIn, tracesIn } from './sqlite-folder.ts';

const SCRIPT = fileURLToPath(new URL('sqlite-writer.ts', import.meta.url));

it('counts every write of another process once, and that one begins anew', async () => {
  const { folder, root } = untilTestEnds(await openLamina());
  const amount = 1500;
  const child = spawn(process.execPath, [SCRIPT, folder, 'other', String(amount)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  const acknowledged: string[] = [];
  lines.on('line', (line) => acknowledged.push(line));
  const ended = once(child, 'close');
  await once(lines, 'line');
  acknowledged.length = 0;
  child.stdin.write('go\n');
  const has = async (count: number): Promise<void> => {
    while (acknowledged.length < count && child.exitCode === null) await Promise.race([once(lines, 'line'), ended]);
  };
  const erase = async (): Promise<number> => (await root.admin.eraseTenant({ tenantId: NIL_TENANT })).counts.entries;
  const counted: number[] = [];
  for (let round = 1; round <= 8; round += 1) {
    await has(round * 60);
    counted.push(await erase());
  }
  const [code] = (await ended) as [number];
  // It ends well only when every write was acknowledged.
  expect({ code, errors }).toEqual({ code: 0, errors: [] });
  counted.push(await erase());
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(amount);
  expect(counted.filter((count) => count > 0).length).toBeGreaterThan(1);
  for (const file of (await filesIn(folder)).filter((name) => name.endsWith('.db'))) {
    const db = new Sqlite(file);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  }
}, 60_000);

it('is noticed by one that only reads', async () => {
  const one = untilTestEnds(await openLamina());
  const two = untilTestEnds(await openLamina({ folder: one.folder }));
  const reader = two.root;
  await one.root.working.set({ planId: 'p', key: 'k', value: 'old' });
  expect(await reader.working.get({ planId: 'p', key: 'k' })).toMatchObject({ value: 'old' });
  await one.root.admin.eraseTenant({ tenantId: NIL_TENANT });
  await one.root.working.set({ planId: 'p', key: 'k', value: 'new' });
  await expect.poll(() => reader.working.get({ planId: 'p', key: 'k' })).toMatchObject({ value: 'new' });
  // A write finds out at once, whatever was looked at before.
  await one.root.admin.eraseTenant({ tenantId: NIL_TENANT });
  await reader.working.set({ planId: 'p', key: 'other', value: 1 });
  expect((await one.root.working.list({ planId: 'p' })).items.map(({ key }) => key)).toEqual(['other']);
});

it('leaves no byte in a file that another process has open', async () => {
  const one = untilTestEnds(await openLamina());
  const two = untilTestEnds(await openLamina({ folder: one.folder }));
  const life = new UserLife(one.lamina.as({ userId: 'wilhelmina' }), 'wilhelmina', 'quokkaquokka');
  await life.live();
  expect((await two.lamina.as({ userId: 'wilhelmina' }).list({ layer: 'user' })).totalCount).toBeGreaterThan(0);
  const { counts, erasureId } = await one.root.admin.eraseTenant({ tenantId: NIL_TENANT });
  expect(counts.entries).toBe(life.expected.entries + 1);
  const traces = ['wilhelmina', 'lhelmina', life.mark, 'okkaquokka'].map((text) => new TextEncoder().encode(text));
  expect(await tracesIn(one.folder, traces)).toEqual([]);
  await life.assertGone([two.lamina.as({ userId: 'wilhelmina' }), two.root]);
  expect(await two.root.admin.verifyErasure({ erasureId, tenantId: NIL_TENANT })).toMatchObject({ verified: true });
  // It can begin anew there.
  const next = new UserLife(two.lamina.as({ userId: 'next' }), 'next', 'numbat');
  await next.live();
  await next.assertThere();
});
