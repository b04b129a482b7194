/** Copying everything from one engine to another: nothing is lost or changed, and what was interrupted goes on. */

import { cp } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../src/compose/engines.ts';
import { copyArchive, type CopyReport } from '../src/core/archive/copy.ts';
import { COLLECTIONS } from '../src/domain/archive.ts';
import { LaminaError } from '../src/domain/error.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Archive } from '../src/ports/archive.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Engine } from '../src/ports/engine.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { ERASED_TENANT, ERASED_USER, laminaOver, makeData, TENANTS, type MadeData } from './copy-data.ts';
import { alike, holdingsOf, sightOf, type Holdings } from './copy-view.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { openSqliteSubject } from './sqlite-subject.ts';

const LONG_MS = 120_000;

const clock = new ManualClock();

/** SQLite with something of everything, made once. */
let folder: string;
let made: MadeData;
beforeAll(async () => {
  folder = await makeFolder();
  made = await makeData(new SqliteEngine({ folder, clock }), clock);
}, LONG_MS);
afterAll(() => removeFolder(folder));

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

type OpenTarget = (clock: Clock) => Promise<{ readonly engine: Engine; close(): Promise<void> }>;

async function open(openTarget: OpenTarget): Promise<Engine> {
  const subject = await openTarget(clock);
  opened.push(subject);
  return subject.engine;
}

/** Not to be written to. */
function openSource(): Engine {
  const engine = new SqliteEngine({ folder, clock });
  opened.push(engine);
  return engine;
}

/** To be written to. */
async function openSourceOfOwn(): Promise<Engine> {
  const own = await makeFolder();
  opened.push({ close: () => removeFolder(own) });
  await cp(folder, own, { recursive: true });
  const engine = new SqliteEngine({ folder: own, clock });
  opened.push(engine);
  return engine;
}

function copy(from: Engine, to: Engine | Archive, tenantId?: string): Promise<CopyReport> {
  return copyArchive({ from: from.archive, to: 'archive' in to ? to.archive : to, clock, tenantId, pageSize: 20 });
}

/** The users apart: some engines have a row for whoever is named anywhere. */
function withoutUsers(holdings: Holdings): Holdings {
  return Object.fromEntries(Object.entries(holdings).map(([name, tenant]) => [name, { ...tenant, users: [] }]));
}

function usersIn(holdings: Holdings): unknown[] {
  return TENANTS.flatMap((tenantId) => holdings[tenantId]?.['users'] ?? []);
}

const copiedIn = ({ copied }: CopyReport): number => Object.values(copied).reduce((sum, count) => sum + count, 0);

async function refusal(work: Promise<unknown>): Promise<LaminaError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof LaminaError) return thrown;
  throw new Error('It was not refused.', { cause: thrown });
}

/** The archive, until it has written so many pages. */
function breakingAfter(archive: Archive, pages: number): Archive {
  let left = pages;
  return new Proxy(archive, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (name === 'write' && (left -= 1) < 0) throw new LaminaError('PROVIDER_ERROR', 'The plug was pulled.');
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** What holds for a copy to any engine and back. */
function copiesThereAndBack(openOther: OpenTarget): void {
  it(
    'there and back again changes nothing',
    async () => {
      const from = openSource();
      const other = await open(openOther);
      const back = await open(openSqliteSubject);
      const before = await holdingsOf(from.archive);
      // It would show nothing if it were empty.
      for (const collection of COLLECTIONS) {
        expect(before[TENANTS[0]]?.[collection]?.length, collection).toBeGreaterThan(1);
      }
      expect(before['erasures']?.['all']).toHaveLength(1);

      const report = await copy(from, other);
      expect(report).toMatchObject({ tenants: 2, erasures: 1 });
      const there = await holdingsOf(other.archive);
      expect(withoutUsers(there)).toEqual(withoutUsers(before));
      expect(usersIn(there)).toEqual(expect.arrayContaining(usersIn(before)));
      expect(await copy(other, back)).toMatchObject({ counts: { ...report.counts, users: expect.any(Number) } });
      expect(await holdingsOf(back.archive)).toEqual(there);
      expect(await holdingsOf(from.archive)).toEqual(before);

      const seen = alike(await sightOf(await laminaOver(from, clock)));
      for (const engine of [other, back]) expect(await sightOf(await laminaOver(engine, clock))).toEqual(seen);
      for (const engine of [other, back]) await assertAlive(engine);
    },
    LONG_MS,
  );

  it(
    'goes on where it was interrupted, wherever that was',
    async () => {
      const from = openSource();
      const before = withoutUsers(await holdingsOf(from.archive));
      const whole = await copy(from, await open(openSqliteSubject));
      for (const pages of [3, 9, 19, 27]) {
        const to = await open(openOther);
        const { code } = await refusal(copy(from, breakingAfter(to.archive, pages)));
        expect(code).toBe('PROVIDER_ERROR');
        const resumed = await copy(from, to);
        expect(resumed.counts).toEqual({ ...whole.counts, users: expect.any(Number) });
        // Users are gone through again.
        expect(copiedIn(resumed) - resumed.copied.users).toBeLessThan(copiedIn(whole) - whole.copied.users);
        expect(withoutUsers(await holdingsOf(to.archive))).toEqual(before);
        expect(copiedIn(await copy(from, to))).toBe(0);
      }
    },
    LONG_MS,
  );
}

/** Keys open, receipts hold, versions go on beyond those of the source. */
async function assertAlive(engine: Engine): Promise<void> {
  const { keys, goneVersions } = made;
  const lamina = await laminaOver(engine, clock);
  const principals = await Promise.all(keys.map((key) => lamina.principalOfKey(key)));
  expect(principals.map((principal) => principal?.userId ?? null)).toEqual(['stranger', null, 'stranger', null]);
  for (const [index, tenantId] of TENANTS.entries()) {
    const root = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
    const { version } = await root.working.set({ planId: 'new', key: 'new', value: 1 });
    expect(version).toBeGreaterThan(goneVersions[index] ?? 0);
    const { entries } = await root.admin.audit({});
    const erasure = entries.find(({ action }) => action === 'users.erase');
    const verification = await root.admin.verifyErasure({ erasureId: erasure?.id ?? '', userId: ERASED_USER });
    expect(verification?.verified).toBe(true);
    // The text index and its counts are whole: everything can be removed again.
    await root.admin.eraseTenant({ tenantId });
  }
  expect(await engine.size()).toEqual({});
  const gone = lamina.as({ tenantId: ERASED_TENANT, userId: 'root', roles: ['admin'] });
  expect((await gone.admin.audit({})).entries.map(({ action }) => action)).toEqual(['tenants.erase']);
}

describe('a copy to PGlite', async () => {
  const { subject } = await pgliteUnderTest();
  copiesThereAndBack(subject);
});

describeOnPostgres('a copy to a PostgreSQL server', () => {
  const openDatabase: OpenTarget = async () => {
    const database = await freshDatabase();
    const engine = await openEngine({ databaseUrl: database.url }, clock);
    return {
      engine,
      close: async () => {
        await engine.close();
        await database.drop();
      },
    };
  };
  copiesThereAndBack(openDatabase);

  it('gives no version twice while versions are advanced', async () => {
    const engine = await open(openDatabase);
    const lamina = await laminaOver(engine, clock);
    const drawn: number[] = [];
    const draw = async (key: string): Promise<void> => {
      const memory = lamina.as({ tenantId: TENANTS[0], userId: key });
      for (let count = 0; count < 40; count += 1) {
        drawn.push((await memory.working.set({ planId: 'plan', key, value: count })).version);
      }
    };
    const advance = async (): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        await engine.archive.advanceVersions(TENANTS[0], (await engine.archive.latestVersion(TENANTS[0])) + 2);
      }
    };
    await Promise.all([draw('a'), draw('b'), advance()]);
    expect(new Set(drawn).size).toBe(80);
    // Never back.
    const latest = await engine.archive.latestVersion(TENANTS[0]);
    await engine.archive.advanceVersions(TENANTS[0], 1);
    expect(await engine.archive.latestVersion(TENANTS[0])).toBe(latest);
  });
});

describe('a copy', () => {
  it('writes nothing when it is complete already', async () => {
    const from = openSource();
    const to = await open(openSqliteSubject);
    const first = await copy(from, to);
    expect(copiedIn(first)).toBeGreaterThan(100);
    const again = await copy(from, breakingAfter(to.archive, 0));
    expect(again).toEqual({ ...first, copied: Object.fromEntries(COLLECTIONS.map((name) => [name, 0])) });
  });

  it('brings also what soon ends, and not what has ended', async () => {
    const from = await open(openSqliteSubject);
    const to = await open(openSqliteSubject);
    const memory = (await laminaOver(from, clock)).as({ userId: 'u' });
    await memory.working.set({ planId: 'plan', key: 'ended', value: 1, ttlSeconds: 1 });
    await memory.working.set({ planId: 'plan', key: 'ending', value: 2, ttlSeconds: 30 });
    clock.advance(2000);
    await copy(from, to);
    const { items } = await (await laminaOver(to, clock)).as({ userId: 'u' }).working.list({ planId: 'plan' });
    expect(items.map(({ key, value }) => [key, value])).toEqual([['ending', 2]]);
  });

  it('of one tenant leaves the others alone', async () => {
    const from = openSource();
    const to = await open(openSqliteSubject);
    expect(await copy(from, to, TENANTS[1])).toMatchObject({ tenants: 1, erasures: 0 });
    expect(await to.archive.tenants(10)).toEqual([TENANTS[1]]);
    const before = await holdingsOf(from.archive);
    expect((await holdingsOf(to.archive))[TENANTS[1]]).toEqual(before[TENANTS[1]]);
    // The other one can join later.
    expect(await copy(from, to)).toMatchObject({ tenants: 2, erasures: 1 });
    expect(await holdingsOf(to.archive)).toEqual(before);
  });

  it('of a tenant that is not there is refused', async () => {
    const from = openSource();
    const { code } = await refusal(copy(from, await open(openSqliteSubject), 'ffffffff-0000-4000-8000-000000000000'));
    expect(code).toBe('NOT_FOUND');
  });

  it('is refused where the target has other memory of the tenant, before anything is written', async () => {
    const from = openSource();
    const to = await open(openSqliteSubject);
    await copy(from, to);
    const lamina = await laminaOver(to, clock);
    await lamina.as({ tenantId: TENANTS[0], userId: 'alice' }).add({ content: 'only here', layer: 'user' });
    const error = await refusal(copy(from, breakingAfter(to.archive, 0)));
    expect(error).toMatchObject({ code: 'VERSION_CONFLICT', details: { tenantId: TENANTS[0], collection: 'entries' } });
    expect(error.message).toContain(TENANTS[0]);
  });

  it('is refused where something was changed in the target', async () => {
    const from = openSource();
    const to = await open(openSqliteSubject);
    await copy(from, to);
    const alice = (await laminaOver(to, clock)).as({ tenantId: TENANTS[1], userId: 'alice' });
    await alice.plans.update({ planId: 'plan of alice', state: { step: 'another' } });
    const { details } = await refusal(copy(from, to));
    expect(details).toMatchObject({ tenantId: TENANTS[1], collection: 'plans' });
  });

  it('brings what is missing before the place from which it goes on', async () => {
    const from = openSource();
    const to = await open(openSqliteSubject);
    await copy(from, to);
    const alice = (await laminaOver(to, clock)).as({ tenantId: TENANTS[0], userId: 'alice' });
    const { memories } = await alice.list({ layer: 'user', limit: 3 });
    for (const { id } of memories) await alice.delete({ id });
    await alice.plans.delete({ planId: 'plan of alice' });
    await copy(from, to);
    const sorted = (holdings: Holdings): unknown[] =>
      ((holdings[TENANTS[0]]?.['entries'] ?? []) as { entry: { id: string } }[])
        .map(({ entry }) => entry)
        .toSorted(byId);
    expect(sorted(await holdingsOf(to.archive))).toEqual(sorted(await holdingsOf(from.archive)));
    expect((await alice.plans.get({ planId: 'plan of alice' }))?.planId).toBe('plan of alice');
  });

  it('says so when the source was changed meanwhile', async () => {
    const from = await openSourceOfOwn();
    const to = await open(openSqliteSubject);
    const alice = (await laminaOver(from, clock)).as({ tenantId: TENANTS[0], userId: 'alice' });
    const { memories } = await alice.list({ layer: 'user', limit: 1 });
    let isChanged = false;
    const changing = new Proxy(from.archive, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as (...args: unknown[]) => unknown;
        return async (...args: unknown[]) => {
          // When the entries have been read.
          if (name === 'read' && args[1] === 'state' && !isChanged) {
            isChanged = true;
            await alice.update({ id: memories[0]?.id ?? '', content: 'something else' });
          }
          return Reflect.apply(member, target, args);
        };
      },
    });
    const error = await refusal(copyArchive({ from: changing, to: to.archive, clock }));
    expect(error).toMatchObject({ code: 'VERSION_CONFLICT', details: { tenantId: TENANTS[0], collection: 'entries' } });
    expect(error.message).toMatch(/written to meanwhile/);
  });
});

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
