/** What goes on at the same moment in one file: compaction, eviction, erasure, a lock that somebody else holds. */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { LaminaError } from '../src/domain/error.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

const TENANT = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => removeFolder(folder));

async function openFilled(maxOpenTenants?: number): Promise<Lamina> {
  const engine = new SqliteEngine({ folder, clock: systemClock, maxOpenTenants });
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  const memory = lamina.as({ tenantId: TENANT, userId: 'u' });
  await memory.addMany(
    Array.from({ length: 500 }, (_, i) => ({ content: `note ${i} ${'x'.repeat(500)}`, layer: 'user' })),
  );
  return lamina;
}

const adminOf = (lamina: Lamina): ReturnType<Lamina['as']> =>
  lamina.as({ tenantId: TENANT, userId: 'root', roles: ['admin'] });

describe('an erasure that rewrites the file', () => {
  it('ends well when the file is put aside meanwhile', async () => {
    const lamina = await openFilled(1);
    const erased = adminOf(lamina).admin.eraseUser({ userId: 'u' });
    for (let i = 0; i < 5; i += 1) {
      await systemClock.sleep(10);
      await lamina.as({ tenantId: OTHER, userId: 'v' }).working.set({ planId: 'p', key: 'k', value: i });
    }
    expect((await erased).counts.entries).toBe(500);
    await lamina.close();
  });

  it.each([0, 10, 30])('ends well when the tenant is erased %i ms later, and nothing comes back', async (delay) => {
    const lamina = await openFilled();
    const user = adminOf(lamina).admin.eraseUser({ userId: 'u' });
    await systemClock.sleep(delay);
    const tenant = adminOf(lamina).admin.eraseTenant({ tenantId: TENANT });
    await Promise.all([user, tenant]);
    await lamina.close();
    expect(await tracesIn(folder, [Buffer.from('note 1 x')])).toEqual([]);
  });

  it.each([20, 50, 80])('ends well, or says that it was closed, when that happens %i ms later', async (delay) => {
    const lamina = await openFilled();
    const erased = adminOf(lamina).admin.eraseUser({ userId: 'u' });
    const outcome = erased.then(
      ({ counts }) => counts.entries,
      (error: LaminaError) => error.code,
    );
    await systemClock.sleep(delay);
    await lamina.close();
    expect([500, 'UNAVAILABLE']).toContain(await outcome);
  });
});

describe('a lock that another process holds', () => {
  it('neither holds up the event loop nor loses a count of accesses', async () => {
    const lamina = await openFilled();
    const memory = lamina.as({ tenantId: TENANT, userId: 'u' });
    const { memories } = await memory.list({ layer: 'user', limit: 3 });
    const other = new Sqlite(join(folder, 'tenants', `${TENANT}.db`));
    other.exec('BEGIN IMMEDIATE');
    const waiting = memory.add({ content: 'Later', layer: 'user' });
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 5);
    for (const { id } of memories) {
      await memory.get({ id });
      await systemClock.sleep(400);
    }
    clearInterval(ticking);
    other.exec('COMMIT');
    expect((await waiting).status).toBe('created');
    // A loop that is held up for 100 ms at a time would tick a dozen times.
    expect(ticks).toBeGreaterThan(40);
    await lamina.close();
    const read = other.prepare('SELECT access_count FROM entries WHERE id = ?').pluck();
    expect(memories.map(({ id }) => read.get(id))).toEqual([1, 1, 1]);
    other.close();
  });
});
