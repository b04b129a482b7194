/** Migrations: forward only, checked, all or nothing. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { readMigrations, type Migration } from '../src/engines/sql/migrations.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

/** A folder with one memory in it, and a way into its file. */
async function makeData(change: (db: Database) => void): Promise<void> {
  {
    await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
    await lamina.as({ userId: 'u' }).add({ content: 'precious', layer: 'user' });
  }
  const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
  change(db);
  db.close();
}

async function failureOfOpening(): Promise<unknown> {
  await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
  const memory = lamina.as({ userId: 'u' });
  const [reading, writing] = await Promise.allSettled([
    memory.list({ layer: 'user' }),
    memory.add({ content: 'more', layer: 'user' }),
  ]);
  expect([reading.status, writing.status]).toEqual(['rejected', 'rejected']);
  return reading.status === 'rejected' ? reading.reason : undefined;
}

const migration = (number: number, sql: string): Migration => ({
  number,
  name: `000${number}_test.sql`,
  sql,
  checksum: `checksum of ${sql}`,
  isBreaking: false,
});

const tablesOf = (db: Database): string[] =>
  db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name);

describe('migrations', () => {
  it.each(['sqlite', 'sqlite/system', 'postgres'])('of %s are numbered without gaps', (place) => {
    const numbers = readMigrations(place).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(0);
  });

  it('say of what was there before how far it is trusted, by its source', async () => {
    const sources = { user: 'user', agent: 'agent', tool_result: 'tool', import: 'outside' } as const;
    {
      await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
      const memory = lamina.as({ userId: 'u' });
      for (const type of Object.keys(sources) as (keyof typeof sources)[]) {
        await memory.add({ content: type, layer: 'user', source: { type } });
        const { memory: old } = await memory.add({ content: `${type} 1`, layer: 'user', source: { type } });
        await memory.update({ id: old.id, content: `${type} 2`, source: { type } });
      }
    }
    const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
    db.exec('ALTER TABLE entries DROP COLUMN trust; ALTER TABLE facts DROP COLUMN trust');
    db.exec(
      "DELETE FROM schema_migrations WHERE number = 10; UPDATE entry_versions SET entry = json_remove(entry, '$.trust')",
    );
    db.close();
    await using lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    const { memories } = await memory.list({ layer: 'user' });
    expect(memories).toHaveLength(8);
    for (const { id } of memories) {
      for (const version of (await memory.versions({ id })).versions) {
        const { source, trust } = version.memory;
        expect(trust).toBe(sources[source?.type as keyof typeof sources]);
      }
    }
  });

  it('of a newer Lamina are refused, and nothing is touched', async () => {
    await makeData((db) => {
      db.prepare("INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', 'x', 0)").run();
    });
    expect(await failureOfOpening()).toMatchObject({ code: 'CONFIGURATION_ERROR' });
    // No handle was left open, so that the log is gone with the last of them.
    expect(await filesIn(folder)).toHaveLength(1);
    const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
    expect(db.prepare('SELECT content FROM entries').all()).toEqual([{ content: 'precious' }]);
    db.close();
  });

  it('that were changed after they had been applied are refused', async () => {
    await makeData((db) => {
      db.prepare("UPDATE schema_migrations SET checksum = 'other' WHERE number = 1").run();
    });
    expect(await failureOfOpening()).toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });

  it('are applied once, in order, and the rest later', () => {
    const db = new Sqlite(':memory:');
    const [one, two] = [
      migration(1, 'CREATE TABLE a (x)'),
      migration(2, 'CREATE TABLE b (x); INSERT INTO a VALUES (1)'),
    ];
    migrate(db, [one], 7);
    migrate(db, [one], 8);
    migrate(db, [one, two], 9);
    expect(tablesOf(db)).toEqual(['a', 'b', 'schema_migrations']);
    expect(db.prepare('SELECT count(*) AS count FROM a').get()).toEqual({ count: 1 });
    const applied = db.prepare('SELECT number, applied_at FROM schema_migrations').all();
    expect(applied).toEqual([
      { number: 1, applied_at: 7 },
      { number: 2, applied_at: 9 },
    ]);
    expect(() => migrate(db, [one], 10)).toThrowError(/newer/);
  });

  it('to tiers leave what was there as it was, and sweep it as before', async () => {
    const tenants = join(folder, 'tenants');
    await mkdir(tenants, { recursive: true });
    const connection = new SqliteConnection(join(tenants, `${NIL_TENANT}.db`), { readonly: false });
    migrate(
      connection.db,
      readMigrations('sqlite').filter(({ number }) => number < 5),
      1,
    );
    connection.db.exec(`
      INSERT INTO state VALUES ('n', 'ended', '1', 1, 1, 1, 5), ('n', 'lasting', '2', 2, 1, 1, NULL);
      INSERT INTO events (type, entry_id, version, actor_id, at) VALUES ('created', 'x', 1, 'u', 1);
      UPDATE state_clock SET version = 2`);
    connection.close();
    const engine = new SqliteEngine({ folder, clock: systemClock });
    const principal = { tenantId: NIL_TENANT, userId: 'u' };
    expect(await engine.state.get(principal, 'n', 'lasting')).toMatchObject({ value: 2, version: 2, accessCount: 0 });
    await engine.state.sweep(new AbortController().signal);
    expect(await engine.erasure.countTenant(principal)).toMatchObject({ state: 1, events: 1 });
    expect((await engine.events.read(principal, undefined, 10)).items).toHaveLength(1);
    await engine.close();
  });

  it('that fail leave the file as it was', () => {
    const db = new Sqlite(':memory:');
    const [good, bad] = [migration(1, 'CREATE TABLE a (x)'), migration(2, 'CREATE TABLE b (x); CREATE NONSENSE')];
    expect(() => migrate(db, [good, bad], 1)).toThrowError(/syntax/);
    expect(tablesOf(db)).toEqual([]);
  });
});
