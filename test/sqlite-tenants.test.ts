/** One file per tenant: opened when needed, put aside when there are too many, never made by a mere look. */

import { spawnSync } from 'node:child_process';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { LaminaError } from '../src/domain/error.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANTS = Array.from({ length: 12 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const ABSENT = '00000000-0000-4000-8000-00000000dead';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

function open(maxOpenTenants = 64): Promise<Lamina> {
  const engine = new SqliteEngine({ folder, clock: systemClock, maxOpenTenants });
  return Lamina.open({ engine, embedder: new HashEmbedder() });
}

describe('tenants', () => {
  it('work with fewer handles than tenants, under load from all sides', async () => {
    await using lamina = await open(3);
    const random = new SeededRandom(51);
    const counts = new Map(TENANTS.map((tenantId) => [tenantId, 0]));
    const work = Array.from({ length: 120 }, (_, n) => ({ n, tenantId: random.pick(TENANTS) }));
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let job = work.pop(); job !== undefined; job = work.pop()) {
          const memory = lamina.as({ tenantId: job.tenantId, userId: 'u' });
          const { id } = (await memory.add({ content: `memory ${job.n}`, layer: 'user' })).memory;
          counts.set(job.tenantId, (counts.get(job.tenantId) ?? 0) + 1);
          expect((await memory.get({ id })).memory?.content).toBe(`memory ${job.n}`);
          await memory.search({ query: 'memory', threshold: 0 });
        }
      }),
    );
    for (const tenantId of TENANTS) {
      const { totalCount } = await lamina.as({ tenantId, userId: 'u' }).list({ layer: 'user' });
      expect(totalCount).toBe(counts.get(tenantId));
    }
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(120);
  });

  it('are not written to while their file is elsewhere, which health tells too', async () => {
    const engine = new SqliteEngine({ folder, clock: systemClock });
    await using lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    await memory.add({ content: 'before', layer: 'user' });
    await memory.working.set({ planId: 'p', key: 'k', value: 1 });
    await memory.list({ layer: 'user' });
    await expect(engine.check()).resolves.toBeUndefined();
    await rename(join(folder, 'tenants'), join(folder, 'elsewhere'));
    const moved = { code: 'UNAVAILABLE', message: expect.stringContaining('Nothing was written') as string };
    await expect(memory.add({ content: 'meanwhile', layer: 'user' })).rejects.toMatchObject(moved);
    await expect(memory.working.set({ planId: 'p', key: 'k', value: 2 })).rejects.toMatchObject(moved);
    await expect(engine.check()).rejects.toMatchObject(moved);
    await rename(join(folder, 'elsewhere'), join(folder, 'tenants'));
    await expect(engine.check()).resolves.toBeUndefined();
    await memory.add({ content: 'after', layer: 'user' });
    expect((await memory.list({ layer: 'user' })).memories.map(({ content }) => content)).toEqual(['after', 'before']);
    expect((await memory.working.get({ planId: 'p', key: 'k' }))?.value).toBe(1);
  });

  it('that are in trouble do not make all others look so', async () => {
    const engine = new SqliteEngine({ folder, clock: systemClock });
    await using lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
    const [ill = '', well = ''] = TENANTS;
    const add = (tenantId: string) => lamina.as({ tenantId, userId: 'u' }).add({ content: 'x', layer: 'user' });
    await add(ill);
    await rename(join(folder, 'tenants', `${ill}.db`), join(folder, 'aside.db'));
    await expect(engine.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await add(well);
    await expect(engine.check()).resolves.toContain('1 of 2 tenants in use');
    expect(await lamina.health()).toMatchObject({ status: 'degraded' });
    await rename(join(folder, 'aside.db'), join(folder, 'tenants', `${ill}.db`));
    await expect(engine.check()).resolves.toBeUndefined();
  });

  it('whose files are gone can be closed', async () => {
    const lamina = await open();
    const { memory } = await lamina.as({ userId: 'u' }).add({ content: 'x', layer: 'user' });
    await lamina.as({ userId: 'u' }).get({ id: memory.id });
    await rm(join(folder, 'tenants'), { recursive: true });
    await lamina.close();
  });

  it('have a file each, and nothing but that file once all is closed', async () => {
    const lamina = await open(2);
    for (const tenantId of TENANTS) await lamina.as({ tenantId, userId: 'u' }).add({ content: 'x', layer: 'user' });
    await lamina.close();
    expect((await filesIn(folder)).map((file) => basename(file)).toSorted()).toEqual(TENANTS.map((id) => `${id}.db`));
    expect((await stat(join(folder, 'tenants'))).mode & 0o077).toBe(0);
  });

  it('keep counting accesses of files that were put aside', async () => {
    await using lamina = await open(1);
    const [first = '', second = ''] = TENANTS;
    const memory = lamina.as({ tenantId: first, userId: 'u' });
    const { id } = (await memory.add({ content: 'x', layer: 'user' })).memory;
    await memory.get({ id });
    await lamina.as({ tenantId: second, userId: 'u' }).add({ content: 'y', layer: 'user' });
    expect((await memory.get({ id })).memory?.accessCount).toBe(1);
  });

  it('that never wrote have no file, however much they look', async () => {
    await using lamina = await open();
    const memory = lamina.as({ tenantId: TENANTS[0] ?? '', userId: 'u' });
    expect(await memory.get({ id: ABSENT })).toEqual({ memory: null });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect((await memory.search({ query: 'anything', mode, threshold: 0 })).results).toEqual([]);
    }
    await expect(memory.versions({ id: ABSENT })).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    await expect(memory.add({ content: ' ', layer: 'user' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await filesIn(folder)).toEqual([]);
  });
});

describe('a data folder', () => {
  it('that cannot be made is a configuration error', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await expect(Lamina.open({ folder: join(file, 'below'), embedder: new HashEmbedder() })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
    });
  });

  // In a process of its own: what never ends cannot be waited for in this one.
  it.runIf(process.platform === 'linux')('on a file system that makes none is refused, and soon', () => {
    const file = join(import.meta.dirname, '../src/engines/sqlite/sqlite-engine.ts');
    const program = `
      const { SqliteEngine } = await import(${JSON.stringify(file)});
      try { new SqliteEngine({ folder: '/proc/nope/deeper' }); } catch ({ code }) { console.log(code); }
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { timeout: 15_000 });
    expect(String(stdout).trim()).toBe('CONFIGURATION_ERROR');
  });

  it('with a broken file answers with an error that tells nothing of the inside, for that tenant alone', async () => {
    const [broken = '', sound = ''] = TENANTS;
    await mkdir(join(folder, 'tenants'));
    await writeFile(
      join(folder, 'tenants', `${broken}.db`),
      'this is not a database, it only looks like one. '.repeat(200),
    );
    await using lamina = await open();
    const reading = lamina.as({ tenantId: broken, userId: 'u' }).list({ layer: 'user' });
    const error = await reading.then(
      () => undefined,
      (reason: LaminaError) => reason,
    );
    expect(error?.code).toBe('PROVIDER_ERROR');
    expect(JSON.stringify(error)).not.toContain(folder);
    await lamina.as({ tenantId: sound, userId: 'u' }).add({ content: 'x', layer: 'user' });
  });

  it('is unavailable once Lamina is closed, and closing lets pending writes finish', async () => {
    const lamina = await open();
    const memory = lamina.as({ userId: 'u' });
    const adding = Array.from({ length: 20 }, (_, n) => memory.add({ content: `pending ${n}`, layer: 'user' }));
    await adding[0];
    await lamina.close();
    const outcomes = await Promise.allSettled(adding);
    const stored = outcomes.filter(({ status }) => status === 'fulfilled').length;
    await expect(memory.list({ layer: 'user' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await using again = await open();
    expect((await again.as({ userId: 'u' }).list({ layer: 'user' })).totalCount).toBe(stored);
  });
});
