/** Bundles: everything of a tenant comes back as it was; what is broken is refused by line; twice changes nothing. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexedLexemes } from '../src/core/remember/content.ts';
import { COLLECTIONS } from '../src/domain/archive.ts';
import { LaminaError } from '../src/domain/error.ts';
import { openEngine } from '../src/compose/engines.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { ArchivedEntry } from '../src/ports/archive.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Engine } from '../src/ports/engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { exported, imported, refusal } from './bundle-files.ts';
import { makeData, TENANTS } from './copy-data.ts';
import { holdingsOf } from './copy-view.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const LONG_MS = 60_000;
const [TENANT] = TENANTS;
const OTHER_TENANT = '0d000000-0000-4000-8000-000000000004';

const clock = new ManualClock();
const folders: string[] = [];
const engines: Engine[] = [];

async function emptyEngine(): Promise<Engine> {
  const folder = await makeFolder();
  folders.push(folder);
  const engine = new SqliteEngine({ folder, clock });
  engines.push(engine);
  return engine;
}

let source: Engine;
let bundle: string;
beforeAll(async () => {
  const folder = await makeFolder();
  folders.push(folder);
  await makeData(new SqliteEngine({ folder, clock }), clock);
  source = new SqliteEngine({ folder, clock });
  engines.push(source);
  bundle = await exported(source, clock, TENANT);
}, LONG_MS);
afterAll(async () => {
  for (const engine of engines) await engine.close();
  for (const folder of folders) await removeFolder(folder);
});

type Rows = Record<string, readonly unknown[]>;

/** Words follow from the text: those that a test made up are not carried. */
async function rowsOf(engine: Engine, tenantId: string): Promise<Rows> {
  const rows = (await holdingsOf(engine.archive))[tenantId] ?? {};
  const entries = (rows['entries'] ?? []) as ArchivedEntry[];
  return { ...rows, entries: entries.map((item) => ({ ...item, lexemes: indexedLexemes(item.entry) })) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a bundle', () => {
  it('is told by its own checksums', () => {
    const lines = bundle.split('\n').slice(0, -1);
    const last = JSON.parse(lines.at(-1) ?? '') as { sha256: string; counts: Record<string, number> };
    expect(last.sha256).toBe(sha256(`${lines.slice(0, -1).join('\n')}\n`));
    const entries = lines.filter((line) => line.startsWith('{"collection":"entries"'));
    const end = JSON.parse(lines.find((line) => line.startsWith('{"end":"entries"')) ?? '') as { sha256: string };
    expect(end.sha256).toBe(sha256(entries.map((line) => `${line}\n`).join('')));
    expect(last.counts['entries']).toBe(entries.length);
    for (const collection of COLLECTIONS) expect(last.counts[collection], collection).toBeGreaterThan(1);
  });

  it('brings everything back as it was, and twice changes nothing', async () => {
    const target = await emptyEngine();
    const report = await imported(target, clock, bundle);
    expect(report).toMatchObject({ tenantId: TENANT, leftOut: {}, embedded: 0, added: report.footer.counts });
    const rows = await rowsOf(target, TENANT);
    expect(rows).toEqual(await rowsOf(source, TENANT));
    expect(await target.archive.latestVersion(TENANT)).toBe(await source.archive.latestVersion(TENANT));
    const again = await imported(target, clock, bundle);
    expect(Object.values(again.added).every((count) => count === 0)).toBe(true);
    expect(await rowsOf(target, TENANT)).toEqual(rows);
    const first = await exported(target, clock, TENANT);
    expect(await exported(target, clock, TENANT)).toBe(first);
  });

  it('goes on where it was interrupted', async () => {
    const target = await emptyEngine();
    let left = 4;
    const breaking = new Proxy(target.archive, {
      get: (archive, name) => {
        const member: unknown = Reflect.get(archive, name, archive);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (name === 'write' && (left -= 1) < 0) throw new LaminaError('PROVIDER_ERROR', 'The plug was pulled.');
          return Reflect.apply(member, archive, args);
        };
      },
    });
    expect((await refusal(imported(target, clock, bundle, { archive: breaking }))).code).toBe('PROVIDER_ERROR');
    const stop = new AbortController();
    const stopped = imported(target, clock, bundle, {
      signal: stop.signal,
      progress: (collection) => collection === 'versions' && stop.abort(new Error('Ctrl-C')),
    });
    await expect(stopped).rejects.toThrow('Ctrl-C');
    await imported(target, clock, bundle);
    expect(await rowsOf(target, TENANT)).toEqual(await rowsOf(source, TENANT));
  });

  it('goes into another tenant, and the company goes along', async () => {
    const target = await emptyEngine();
    await imported(target, clock, bundle, { tenantId: OTHER_TENANT });
    expect(await target.archive.tenants(10)).toEqual([OTHER_TENANT]);
    // The chain of the audit log is the tenant's own: there it is linked anew.
    const unlinked = (rows: object): string =>
      JSON.stringify(rows).replaceAll(/"(hash|previous)":"[0-9a-f]{64}"/g, '"$1":""');
    const text = unlinked(await rowsOf(source, TENANT)).replaceAll(TENANT, OTHER_TENANT);
    expect(JSON.parse(unlinked(await rowsOf(target, OTHER_TENANT)))).toEqual(JSON.parse(text));
    expect(text).toContain(`"companyId":"${OTHER_TENANT}"`);
  });

  it('is embedded anew where it has no vectors, but not what is there already', async () => {
    const bare = await exported(source, clock, TENANT, { vectors: false });
    expect(bare).not.toContain('"vector"');
    const target = await emptyEngine();
    const embedder = new HashEmbedder();
    const { embedded, footer } = await imported(target, clock, bare, { embedder });
    expect(embedded).toBe(footer.counts.entries);
    const space = await embedder.space();
    expect(await target.upkeep.countPoints(TENANT, space)).toBe(embedded);
    expect((await imported(target, clock, bare, { embedder })).embedded).toBe(0);
  });
});
type OpenTarget = (clock: Clock) => Promise<{ readonly engine: Engine; close(): Promise<void> }>;

/** To the other engine, there again from where it was interrupted, and back. Users apart: some engines have a row for whoever is named. */
function carriesThereAndBack(openOther: OpenTarget): void {
  it(
    'there and back again changes nothing',
    async () => {
      const before = { ...(await rowsOf(source, TENANT)), users: [] };
      const other = await openOther(clock);
      try {
        const stop = new AbortController();
        const interrupted = imported(other.engine, clock, bundle, {
          signal: stop.signal,
          progress: (collection) => collection === 'state' && stop.abort(new Error('Ctrl-C')),
        });
        await expect(interrupted).rejects.toThrow('Ctrl-C');
        await imported(other.engine, clock, bundle);
        expect({ ...(await rowsOf(other.engine, TENANT)), users: [] }).toEqual(before);
        const again = await imported(other.engine, clock, bundle);
        expect(Object.values(again.added).every((count) => count === 0)).toBe(true);
        const back = await emptyEngine();
        await imported(back, clock, await exported(other.engine, clock, TENANT));
        expect({ ...(await rowsOf(back, TENANT)), users: [] }).toEqual(before);
        const merged = await rowsOf(back, TENANT);
        expect(merged['users']).toEqual(expect.arrayContaining([...((await rowsOf(source, TENANT))['users'] ?? [])]));
      } finally {
        await other.close();
      }
    },
    LONG_MS,
  );
}

describe('a bundle to PGlite', async () => {
  const { subject } = await pgliteUnderTest();
  carriesThereAndBack(subject);
});

describeOnPostgres('a bundle to a PostgreSQL server', () => {
  carriesThereAndBack(async () => {
    const database = await freshDatabase();
    const engine = await openEngine({ databaseUrl: database.url }, clock);
    return {
      engine,
      close: async () => {
        await engine.close();
        await database.drop();
      },
    };
  });
});
