/** When maintenance is due, how stale things are, and a round of upkeep over all tenants. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCore } from '../src/core/create-core.ts';
import type { Dependencies } from '../src/core/dependencies.ts';
import { runJob } from '../src/core/maintenance/run-job.ts';
import { cronSchedule, isCron, type Schedule } from '../src/core/maintenance/schedule.ts';
import { upkeepRound } from '../src/core/upkeep/round.ts';
import type { MaintenanceRunRecord } from '../src/domain/maintenance.ts';
import type { Principal } from '../src/domain/principal.ts';
import { ROTTEN, staleness } from '../src/domain/staleness.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { dependenciesOn, dyingAfter } from './maintenance-dependencies.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NIGHTLY = cronSchedule('0 4 * * *');
const TENANTS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

/** In local time. */
const at = (day: number, hour: number, minute = 0, second = 0): number =>
  new Date(2026, 2, day, hour, minute, second).getTime();

describe('a schedule', () => {
  it('is due at its moments, and knows the last one and the next', () => {
    expect(NIGHTLY.lastDue(at(10, 3, 59, 59))).toBe(at(9, 4));
    expect(NIGHTLY.lastDue(at(10, 4))).toBe(at(10, 4));
    expect(NIGHTLY.lastDue(at(10, 3, 59, 59) + 999)).toBe(at(9, 4));
    expect(NIGHTLY.lastDue(at(10, 23))).toBe(at(10, 4));
    expect(NIGHTLY.nextDue(at(10, 3))).toBe(at(10, 4));
    expect(NIGHTLY.nextDue(at(10, 4))).toBe(at(11, 4));
    expect(cronSchedule('*/15 9-17 * * 1-5').nextDue(at(6, 17, 50))).toBe(at(9, 9));
  });

  it('is no nonsense, and nothing that never comes true', () => {
    for (const text of ['', 'daily', '61 * * * *', '0 4 * *', '0 4 30 2 *'])
      expect([text, isCron(text)]).toEqual([text, false]);
    expect(() => cronSchedule('0 4 30 2 *')).toThrow(expect.objectContaining({ code: 'CONFIGURATION_ERROR' }));
  });
});

describe('staleness', () => {
  const now = at(10, 12);
  const ago = (days: number): string => new Date(now - days * DAY_MS).toISOString();
  const ordinary = { importance: 0.5, accessCount: 0, updatedAt: ago(100) };

  it('grows while nobody uses a memory, slower for what matters and for what was read often', () => {
    expect(staleness({ ...ordinary, updatedAt: ago(0) }, now)).toBe(0);
    expect(staleness({ ...ordinary, updatedAt: ago(-1) }, now)).toBe(0);
    expect(staleness({ ...ordinary, updatedAt: ago(30) }, now)).toBeCloseTo(0.5);
    expect(staleness({ ...ordinary, updatedAt: ago(99) }, now)).toBeLessThan(ROTTEN);
    expect(staleness(ordinary, now)).toBeGreaterThanOrEqual(ROTTEN);
    expect(staleness({ ...ordinary, importance: 0, updatedAt: ago(50) }, now)).toBeGreaterThanOrEqual(ROTTEN);
    expect(staleness({ ...ordinary, importance: 1, updatedAt: ago(149) }, now)).toBeLessThan(ROTTEN);
    expect(staleness({ ...ordinary, accessCount: 15, updatedAt: ago(199) }, now)).toBeLessThan(ROTTEN);
    expect(staleness({ ...ordinary, lastAccessedAt: ago(10) }, now)).toBeLessThan(0.25);
    expect(staleness({ ...ordinary, updatedAt: ago(100_000) }, now)).toBeLessThanOrEqual(1);
  });
});

describe('a round of upkeep', () => {
  let folder: string;
  let engine: SqliteEngine;
  let clock: ManualClock;
  let dependencies: Dependencies;

  beforeEach(async () => {
    folder = await makeFolder();
    clock = new ManualClock(at(10, 1));
    engine = new SqliteEngine({ folder, clock });
    dependencies = dependenciesOn(engine, clock);
  });

  afterEach(async () => {
    await engine.close();
    await removeFolder(folder);
  });

  const principal = (tenantId: string): Principal => ({ tenantId, userId: 'alice' });

  async function addPair(tenantId: string, name: string, expiresAt?: string): Promise<void> {
    const fields = { layer: 'user', ...(expiresAt !== undefined && { expiresAt }) } as const;
    await createCore(dependencies).addMany(principal(tenantId), [
      { ...fields, content: `the ${name} is here` },
      { ...fields, content: `THE ${name.toUpperCase()} IS HERE` },
    ]);
  }

  const round = (schedule?: Schedule, given: Dependencies = dependencies): Promise<number | undefined> =>
    upkeepRound(given, { schedule, signal: new AbortController().signal });

  async function runs(tenantId: string): Promise<MaintenanceRunRecord[]> {
    return engine.records.maintenanceRuns.list(principal(tenantId), { where: {}, limit: 100 });
  }

  const jobs = async (tenantId: string): Promise<string[]> =>
    (await runs(tenantId)).map(({ job, status, trigger }) => `${job} ${status} ${trigger}`).toSorted();

  const NIGHT = ['context_rot completed schedule', 'deduplication completed schedule', 'integrity completed schedule'];

  it('does what is due, once, for every tenant; and what was due while nobody led, once', async () => {
    for (const tenantId of TENANTS) await addPair(tenantId, 'heron');
    await round(NIGHTLY);
    expect(await jobs(TENANTS[0])).toEqual([]);
    clock.advance(at(10, 4) - clock.now());
    await round(NIGHTLY);
    await round(NIGHTLY);
    for (const tenantId of TENANTS) expect(await jobs(tenantId)).toEqual(NIGHT);
    clock.advance(5 * DAY_MS);
    await round(NIGHTLY);
    await round(NIGHTLY);
    expect(await jobs(TENANTS[0])).toEqual([...NIGHT, ...NIGHT].toSorted());
    clock.advance(DAY_MS);
    await round();
    expect(await runs(TENANTS[0])).toHaveLength(6);
  });

  it('removes what has expired all the time, and says so where there was something', async () => {
    await addPair(TENANTS[0], 'owl', new Date(clock.now() + HOUR_MS).toISOString());
    await addPair(TENANTS[1], 'owl');
    await round();
    clock.advance(HOUR_MS);
    await round();
    await round();
    const [run, ...more] = await runs(TENANTS[0]);
    expect([run?.job, run?.status, run?.counts, more]).toEqual([
      'expiry',
      'completed',
      { removed: 2, pools: 0, state: 0 },
      [],
    ]);
    expect((await engine.archive.read(TENANTS[0], 'entries', 10)).items).toEqual([]);
    expect(await runs(TENANTS[1])).toEqual([]);
  });

  it('takes up what another leader left, at once, and what somebody asked for as soon as it is sure', async () => {
    await addPair(TENANTS[0], 'heron');
    const { signal } = new AbortController();
    const asked = { tenantId: TENANTS[0], job: 'integrity', trigger: 'request', dryRun: false, signal } as const;
    await expect(runJob(dyingAfter(dependencies, 0), asked)).rejects.toThrow('killed');
    clock.advance(at(10, 4) - clock.now());
    const [integrity] = await runs(TENANTS[0]);
    await engine.records.maintenanceRuns.change(principal(TENANTS[0]), integrity?.runId ?? '', (run) => ({
      ...run,
      updatedAt: new Date(clock.now()).toISOString(),
    }));
    await round(NIGHTLY, dyingAfter(dependencies, 0));
    const left = (await runs(TENANTS[0])).filter(({ status }) => status === 'running');
    expect(left.map(({ job }) => job).toSorted()).toEqual(['context_rot', 'deduplication', 'integrity']);
    const wakeAt = await round(NIGHTLY);
    expect(await jobs(TENANTS[0])).toEqual([...NIGHT.slice(0, 2), 'integrity running request']);
    expect(wakeAt).toBeGreaterThan(clock.now());
    clock.advance((wakeAt ?? 0) - clock.now());
    await round(NIGHTLY);
    const ended = await runs(TENANTS[0]);
    expect(new Set(ended.filter(({ status }) => status === 'completed').map(({ runId }) => runId))).toEqual(
      new Set(ended.map(({ runId }) => runId)),
    );
    expect(ended.map(({ runId }) => runId)).toEqual(expect.arrayContaining(left.map(({ runId }) => runId)));
  });

  it('is not held up by a tenant that fails, and tries that again later, not all the time', async () => {
    for (const tenantId of TENANTS) await addPair(tenantId, 'heron');
    clock.advance(at(10, 4) - clock.now());
    const { archive } = dependencies;
    const failing: Dependencies = {
      ...dependencies,
      archive: {
        ...archive,
        tenants: (...given) => archive.tenants(...given),
        read: (tenantId, collection, limit, after) =>
          tenantId === TENANTS[0] && limit > 1
            ? Promise.reject(new Error('broken'))
            : archive.read(tenantId, collection, limit, after),
      },
    };
    const failed = NIGHT.map((each) => each.replace('completed', 'failed'));
    await round(NIGHTLY, failing);
    await round(NIGHTLY, failing);
    expect(await jobs(TENANTS[0])).toEqual(failed);
    expect(await jobs(TENANTS[1])).toEqual(NIGHT);
    expect((await runs(TENANTS[0]))[0]?.error).toBe('The storage or a provider behind it failed.');
    clock.advance(HOUR_MS);
    await round(NIGHTLY);
    await round(NIGHTLY);
    expect(await jobs(TENANTS[0])).toEqual([...failed, ...NIGHT].toSorted());
    await writeFile(join(folder, 'tenants', '00000000-0000-4000-8000-000000000000.db'), 'this is no database');
    clock.advance(DAY_MS);
    await round(NIGHTLY);
    expect(await runs(TENANTS[1])).toHaveLength(6);
  });

  it('closes a dry run that was cut short', async () => {
    await addPair(TENANTS[0], 'heron');
    const { signal } = new AbortController();
    const asked = { tenantId: TENANTS[0], job: 'integrity', trigger: 'request', dryRun: true, signal } as const;
    await expect(runJob(dyingAfter(dependencies, 0), asked)).rejects.toThrow('killed');
    await round();
    expect(await jobs(TENANTS[0])).toEqual(['integrity running request']);
    clock.advance(HOUR_MS);
    await round();
    expect(await jobs(TENANTS[0])).toEqual(['integrity failed request']);
  });

  it('keeps the records of runs for ninety days', async () => {
    await addPair(TENANTS[0], 'heron');
    clock.advance(at(10, 4) - clock.now());
    await round(NIGHTLY);
    clock.advance(91 * DAY_MS);
    await round(NIGHTLY);
    expect(await jobs(TENANTS[0])).toEqual(NIGHT);
  });
});
