/** What is bounded in time on PostgreSQL, and what must not be. */

import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import type { PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { PostgresSpaces } from '../src/engines/postgres/postgres-spaces.ts';
import { PostgresTouches } from '../src/engines/postgres/postgres-touches.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import type { Clock } from '../src/ports/clock.ts';
import { userOf } from '../src/testing/engine-subject.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { connect, describeOnPostgres, execute, freshDatabase, urlOf } from './postgres-server.ts';

const STATEMENT_TIMEOUT_MS = 200;
const LONGER_MS = 500;

async function driverOf(url: string): Promise<PostgresDriver> {
  const driver = await openServer({ url, poolSize: 3, preparesStatements: true });
  onTestFinished(() => driver.close());
  return driver;
}

async function empty(): Promise<string> {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  return url;
}

function databaseOn(driver: PostgresDriver, clock: Clock = systemClock): PostgresDatabase {
  return new PostgresDatabase({ driver, clock, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
}

describeOnPostgres('time on PostgreSQL', () => {
  it('bounds a statement, but not a migration, whatever the server bounds others by', async () => {
    const url = await empty();
    const { pathname } = new URL(url);
    await execute(url, `ALTER DATABASE ${pathname.slice(1)} SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    const driver = await driverOf(url);
    const known = readMigrations('postgres');
    const slow = { number: 9999, name: 'slow', checksum: '', isBreaking: false };
    const migrations = [...known, { ...slow, sql: `SELECT pg_sleep(${LONGER_MS / 1000})` }];
    expect((await migratePostgres(driver, { now: 0, migrations })).version).toBe(9999);
    await expect(databaseOn(driver).read({}, `SELECT pg_sleep(${LONGER_MS / 1000})`)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('does not bound the making of an index, for which all who want it wait on one connection', async () => {
    const url = await empty();
    const driver = await driverOf(url);
    await migratePostgres(driver, { now: 0 });
    const blocker = await connect(url);
    await blocker.query('BEGIN; LOCK TABLE lamina.embeddings IN ROW EXCLUSIVE MODE');
    const spaces = new PostgresSpaces(databaseOn(driver));
    const space = { model: 'new', dimensions: 8 };
    const opening = Promise.all(Array.from({ length: 9 }, () => spaces.open(space)));
    await setTimeout(LONGER_MS);
    const { rows } = await blocker.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%open_space%' AND pid <> pg_backend_pid()`,
    );
    await blocker.query('COMMIT');
    await blocker.end();
    await opening;
    expect(rows).toHaveLength(1);
    expect(spaces.idOf(space)).toBeTypeOf('number');
  });

  it('bounds a transaction in which nothing is asked any more, and the next one is not its victim', async () => {
    const driver = await driverOf(await empty());
    await migratePostgres(driver, { now: 0 });
    const database = databaseOn(driver);
    const bound = `SELECT current_setting('idle_in_transaction_session_timeout') AS bound`;
    expect(await database.read({}, bound)).toEqual([{ bound: '15s' }]);
    const silent = database.transaction({}, async (transaction) => {
      await transaction.query(`SELECT set_config('idle_in_transaction_session_timeout', '20', true)`);
      await setTimeout(LONGER_MS);
      await transaction.query('SELECT 1');
    });
    await expect(silent).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (let round = 0; round < 3; round += 1) {
      expect(await database.write({}, 'SELECT 1 AS one', [])).toMatchObject({ rows: [{ one: 1 }] });
    }
  });

  it('bounds the silence of a session that holds a lock', async () => {
    const driver = await driverOf(await empty());
    let losses = 0;
    const session = await driver.dedicate(() => (losses += 1));
    const { rows } = await session.query(`SELECT current_setting('idle_session_timeout') AS bound`);
    expect(rows).toEqual([{ bound: '15s' }]);
    await session.query('SET idle_session_timeout = 20');
    await expect.poll(() => losses).toBe(1);
    session.release(true);
    expect(losses).toBe(1);
  });

  it('is not spent on counting accesses, user by user, while the database is away', async () => {
    const clock = new ManualClock();
    const nowhere = urlOf('postgres://127.0.0.1:1/lamina', {});
    const touches = new PostgresTouches(databaseOn(await driverOf(nowhere), clock), 'SELECT $1::json');
    for (let user = 0; user < 20; user += 1) touches.add(userOf(`u${user}`), 'x', { count: 1, at: 0 });
    const started = clock.now();
    await touches.flush();
    // Once as long as a write is tried.
    expect(clock.now() - started).toBeLessThan(2 * 5250);
  });
});
