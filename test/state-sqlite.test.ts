/** What is true of state in SQLite alone; the engine contract has the rest. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../src/domain/json.ts';
import { poolNamespace } from '../src/domain/namespace.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { StateWrite } from '../src/ports/state-store.ts';
import { OTHER_TENANT, TENANT } from '../src/testing/engine-subject.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

async function openFolder(): Promise<{ folder: string; clock: ManualClock; open: () => SqliteEngine }> {
  const folder = await makeFolder();
  const clock = new ManualClock();
  const engines: SqliteEngine[] = [];
  onTestFinished(async () => {
    for (const engine of engines) await engine.close();
    await removeFolder(folder);
  });
  const open = (): SqliteEngine => {
    const engine = new SqliteEngine({ folder, clock });
    engines.push(engine);
    return engine;
  };
  return { folder, clock, open };
}

const set = (value: Json): StateWrite => ({ mutation: { type: 'set', value }, maxBytes: 1_000_000 });

describe('state in SQLite', () => {
  it('makes no file for a tenant that is only read or cleared', async () => {
    const { folder, open } = await openFolder();
    const { state, upkeep, events } = open();
    expect(await state.get(TENANT, 'n', 'k')).toBeNull();
    state.touch(TENANT, 'n', 'k');
    expect((await state.measure(TENANT, 'n')).count).toBe(0);
    expect(await state.frequent(TENANT.tenantId, 'n', 1, 10)).toEqual([]);
    expect((await upkeep.removeExpired(TENANT.tenantId, Date.now(), 10)).ids).toEqual([]);
    expect((await events.readPool(TENANT, 'p', undefined, 10)).items).toEqual([]);
    expect(await state.list(TENANT, 'n', 10)).toEqual([]);
    expect(await state.remove(TENANT, 'n', 'k')).toBe(false);
    expect(await state.clear(TENANT, 'n')).toBe(0);
    expect(await filesIn(folder)).toEqual([]);
  });

  it('sees at once what another engine on the folder has written, cached or not', async () => {
    const { open } = await openFolder();
    const [mine, theirs] = [open().state, open().state];
    for (let round = 0; round < 50; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [mine, theirs] : [theirs, mine];
      await writer.write(TENANT, 'n', 'k', set(round));
      // Twice: the second comes from memory.
      expect((await reader.get(TENANT, 'n', 'k'))?.value).toBe(round);
      expect((await reader.get(TENANT, 'n', 'k'))?.value).toBe(round);
      expect((await writer.get(TENANT, 'n', 'k'))?.value).toBe(round);
    }
    await mine.remove(TENANT, 'n', 'k');
    expect(await theirs.get(TENANT, 'n', 'k')).toBeNull();
  });

  it('counts exactly when two engines change one value in turns and at once', async () => {
    const { open } = await openFolder();
    const engines = [open().state, open().state];
    const increment: StateWrite = { mutation: { type: 'increment', by: 1 }, maxBytes: 100 };
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        engines.flatMap((state) => Array.from({ length: 10 }, () => state.write(TENANT, 'n', 'k', increment))),
      );
    }
    for (const state of engines) expect((await state.get(TENANT, 'n', 'k'))?.value).toBe(200);
  });

  it('counts accesses of several engines, and writes down those of one that closes', async () => {
    const { open } = await openFolder();
    const [mine, theirs] = [open(), open()];
    await mine.state.write(TENANT, 'n', 'k', set(1));
    for (const { state } of [mine, theirs]) {
      expect((await state.get(TENANT, 'n', 'k'))?.accessCount).toBe(0);
      for (let count = 0; count < 5; count += 1) state.touch(TENANT, 'n', 'k');
    }
    await theirs.close();
    expect((await mine.state.get(TENANT, 'n', 'k'))?.accessCount).toBe(5);
    // With the next write of whatever.
    await mine.state.write(TENANT, 'n', 'other', set(1));
    expect((await mine.state.get(TENANT, 'n', 'k'))?.accessCount).toBe(10);
    expect(await mine.state.get(TENANT, 'n', 'k')).toMatchObject({ version: 1, value: 1 });
  });

  it('counts an access once, also where the job beside it fails and all are run again', async () => {
    const { open } = await openFolder();
    const { state, entries } = open();
    for (const key of ['k', 'other']) await state.write(TENANT, 'n', key, set(1));
    const fail = async (): Promise<never> => {
      throw new Error('not like this');
    };
    state.touch(TENANT, 'n', 'k');
    const outcomes = await Promise.allSettled([
      state.write(TENANT, 'n', 'other', set(2)),
      entries.transaction(TENANT, fail),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await state.get(TENANT, 'n', 'k'))?.accessCount).toBe(1);
    expect((await state.measure(TENANT, 'n')).accesses).toBe(1);
  });

  it('keeps what was read often just before it ended', async () => {
    const { open, clock } = await openFolder();
    const { state } = open();
    await state.write(TENANT, 'n', 'k', { ...set(1), expiresAt: clock.now() + 1 });
    state.touch(TENANT, 'n', 'k', { accesses: 1, ms: 1000 });
    clock.advance(1);
    // Sweeps on its way.
    await state.write(TENANT, 'n', 'other', set(1));
    expect((await state.frequent(TENANT.tenantId, 'n', 1, 10)).map(({ key }) => key)).toEqual(['k']);
  });

  it('is no event when a value of a pool comes with a copy', async () => {
    const { open } = await openFolder();
    const { archive, events } = open();
    const at = '2026-03-04T08:00:00.000Z';
    const item = { namespace: poolNamespace('p'), key: 'k', value: 1, version: 1, createdAt: at, updatedAt: at };
    await archive.write(TENANT.tenantId, 'state', [{ ...item, accessCount: 2 }]);
    expect((await events.readPool(TENANT, 'p', undefined, 10)).items).toEqual([]);
    expect((await archive.read(TENANT.tenantId, 'state', 10)).items).toEqual([{ ...item, accessCount: 2 }]);
  });

  it('keeps no more in memory than it may, and loses nothing by that', async () => {
    const { open } = await openFolder();
    const { state } = open();
    const large = 'x'.repeat(900_000);
    await Promise.all(Array.from({ length: 20 }, (_, n) => state.write(TENANT, 'n', `k${n}`, set(large + n))));
    for (let n = 0; n < 20; n += 1) expect((await state.get(TENANT, 'n', `k${n}`))?.value).toBe(large + n);
  });

  it('goes on when the files of its tenants are closed and opened all the time', async () => {
    const folder = await makeFolder();
    const engine = new SqliteEngine({ folder, clock: new ManualClock(), maxOpenTenants: 1 });
    onTestFinished(async () => {
      await engine.close();
      await removeFolder(folder);
    });
    const increment: StateWrite = { mutation: { type: 'increment', by: 1 }, maxBytes: 100 };
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        engine.state.write(n % 2 === 0 ? TENANT : OTHER_TENANT, 'n', 'k', increment),
      ),
    );
    for (const tenant of [TENANT, OTHER_TENANT]) expect((await engine.state.get(tenant, 'n', 'k'))?.value).toBe(30);
  });

  it('is unavailable once it is closed', async () => {
    const { open } = await openFolder();
    const engine = open();
    await engine.state.write(TENANT, 'n', 'k', set(1));
    await engine.close();
    await expect(engine.state.get(TENANT, 'n', 'k')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(engine.state.write(TENANT, 'n', 'k', set(2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
