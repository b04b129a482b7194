/** A disk that is full and files that cannot be written: what callers are told, that nothing is lost, and how it ends. */

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { translated } from '../src/engines/postgres/postgres-error.ts';
import type { Memory } from '../src/operations/memory.ts';
import { startEmbedded } from './crash-subjects.ts';
import { caller } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { mountSmallDisk, whyNoSmallDisk } from './small-disk.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { expectSound } from './sqlite-soundness.ts';

const OTHER_TENANT = '00000000-0000-4000-8000-00000000000b';
const NOBODY = 65_534;
const SLOW = { timeout: 60_000 };

const textOf = (n: number): string => `note ${n}, ${'which takes some room '.repeat(40)}`;

/** Adds until one is refused; the ids of those that were acknowledged, and how it was refused. */
async function addUntilRefused(memory: Memory): Promise<{ ids: string[]; refusal: unknown }> {
  const ids: string[] = [];
  for (let n = 0; n < 2000; n += 1) {
    // Several at once share a commit, and fail together.
    const adding = [0, 1, 2].map((m) => memory.add({ content: textOf(3 * n + m), layer: 'user' }));
    const answers = await Promise.allSettled(adding);
    for (const answer of answers) if (answer.status === 'fulfilled') ids.push(answer.value.memory.id);
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused) return { ids, refusal: refused.reason };
  }
  throw new Error('Nothing was refused.');
}

async function idsIn(memory: Memory): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const page = await memory.list({ layer: 'user', limit: 100, ...(cursor !== null && { cursor }) });
    for (const { id } of page.memories) ids.add(id);
    ({ nextCursor: cursor } = page);
  } while (cursor !== null);
  return ids;
}

function assertSound(folder: string): void {
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`), { timeout: 5000 });
  try {
    loadVectorFunctions(db);
    expectSound(db);
  } finally {
    db.close();
  }
}

const noDisk = whyNoSmallDisk();

describe.skipIf(noDisk !== undefined)(`a disk that is full${noDisk ? ` (skipped: ${noDisk})` : ''}`, () => {
  it('is UNAVAILABLE and says so, keeps what was acknowledged, and goes on when there is room', SLOW, async () => {
    const disk = mountSmallDisk(8);
    if (typeof disk === 'string') throw new Error(disk);
    onTestFinished(() => disk.close());
    const folder = join(disk.folder, 'data');
    const { lamina } = untilTestEnds(await openLamina({ folder }));
    const memory = lamina.as({ userId: 'u' });
    const other = lamina.as({ userId: 'u', tenantId: OTHER_TENANT });
    const { memory: first } = await memory.add({ content: 'the first', layer: 'user' });
    await memory.working.set({ planId: 'p', key: 'k', value: 'kept' });
    disk.fill(700_000);
    const { ids, refusal } = await addUntilRefused(memory);
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(String(refusal)).toMatch(/disk is full.*Make room/);
    disk.fill(0);
    // Whatever is written is refused, whatever is read is answered.
    const full = { code: 'UNAVAILABLE', message: expect.stringContaining('Make room') as string };
    const large = 'x'.repeat(300_000);
    const batch = Array.from({ length: 60 }, (_, n) => ({ content: textOf(10_000 + n), layer: 'user' }) as const);
    await expect(memory.addMany(batch)).rejects.toMatchObject(full);
    await expect(memory.working.set({ planId: 'p', key: 'k', value: large })).rejects.toMatchObject(full);
    await expect(memory.plans.create({ goalEvent: 'x', state: { large } })).rejects.toMatchObject(full);
    await expect(other.add({ content: 'another tenant', layer: 'user' })).rejects.toMatchObject(full);
    expect((await memory.get({ id: first.id })).memory).toMatchObject({ content: 'the first', version: 1 });
    expect((await memory.working.get({ planId: 'p', key: 'k' }))?.value).toBe('kept');
    expect((await memory.search({ query: 'the first', threshold: 0 })).results[0]?.memory.id).toBe(first.id);
    // Over HTTP.
    const { url } = untilTestEnds(await serveLamina(lamina));
    const post = caller(url, { 'X-User-ID': 'u' });
    const answer = await post('POST', '/v1/memory/entries/batch', { memories: batch });
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({ code: 'UNAVAILABLE', message: full.message, retryable: true });
    // Health tells until there is room, also where nobody tries to write meanwhile.
    const ready = async (): Promise<number> => (await fetch(`${url}/ready`)).status;
    expect((await lamina.health()).components['store']).toEqual({ status: 'unhealthy', message: full.message });
    expect(await ready()).toBe(503);
    disk.makeRoom();
    expect((await lamina.health()).components['store']).toEqual({ status: 'healthy' });
    expect(await ready()).toBe(200);
    ids.push(first.id, (await memory.add({ content: 'there is room again', layer: 'user' })).memory.id);
    await other.add({ content: 'another tenant', layer: 'user' });
    expect(await idsIn(memory)).toEqual(new Set(ids));
    assertSound(folder);
  });
});

describe('files that cannot grow', () => {
  it('are UNAVAILABLE, keep what was acknowledged, and go on when they can', SLOW, async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const running = await startEmbedded(`sqlite:${folder}`);
    onTestFinished(() => running.kill());
    const limit = (bytes: number | 'unlimited'): void =>
      void execFileSync('prlimit', ['--pid', String(running.pid), `--fsize=${bytes}:unlimited`]);
    await running.memory.add({ content: 'the first', layer: 'user' });
    limit(1_500_000);
    const { ids, refusal } = await addUntilRefused(running.memory);
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('disk') });
    limit('unlimited');
    const { memory: last } = await running.memory.add({ content: 'it can grow again', layer: 'user' });
    const stored = await idsIn(running.memory);
    expect([...ids, last.id].filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(ids.length + 2);
    expect(await running.end()).toBe(0);
    assertSound(folder);
  });
});

/** Root may write everything: what is checked is checked as somebody else. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

function giveAway(folder: string, mode: { readonly folder: number; readonly file: number }): void {
  for (const each of [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))]) {
    if (process.geteuid?.() === 0) chownSync(each, NOBODY, NOBODY);
    chmodSync(each, /\.db/.test(each) ? mode.file : mode.folder);
  }
}

describe('files that must not be written', () => {
  it('are UNAVAILABLE, keep what was acknowledged, and go on when they may', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const before = await openLamina({ folder });
    const { memory: kept } = await before.lamina.as({ userId: 'u' }).add({ content: 'the first', layer: 'user' });
    await before.close();
    const { lamina } = untilTestEnds(await openLamina({ folder }));
    const memory = lamina.as({ userId: 'u' });
    const closed = {
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Let the user that Lamina runs as') as string,
    };
    giveAway(folder, { folder: 0o500, file: 0o400 });
    await asNobody(async () => {
      await expect(memory.add({ content: 'the second', layer: 'user' })).rejects.toMatchObject(closed);
      const other = lamina.as({ userId: 'u', tenantId: OTHER_TENANT });
      await expect(other.add({ content: 'a new file', layer: 'user' })).rejects.toMatchObject(closed);
      giveAway(folder, { folder: 0o700, file: 0o400 });
      await expect(memory.working.set({ planId: 'p', key: 'k', value: 1 })).rejects.toMatchObject(closed);
      expect((await lamina.health()).components['store']).toEqual({ status: 'unhealthy', message: closed.message });
      giveAway(folder, { folder: 0o700, file: 0o600 });
      expect((await lamina.health()).components['store']).toEqual({ status: 'healthy' });
      await memory.add({ content: 'the second', layer: 'user' });
      await other.add({ content: 'a new file', layer: 'user' });
      expect(await idsIn(memory)).toContain(kept.id);
    });
  });
});

describe('what PostgreSQL says of its disk', () => {
  it.each([
    ['53100', /disk of the database is full.*Make room/],
    ['25006', /only lets itself be read.*LAMINA_DATABASE_URL/],
    ['58030', /cannot be used at the moment/],
  ])('%s is UNAVAILABLE', (code, message) => {
    const error = translated(Object.assign(new Error('told'), { code }));
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(message) as string });
  });
});
