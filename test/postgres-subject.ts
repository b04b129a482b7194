/** PostgreSQL for the contracts of an engine: one database per test file, emptied for each test. */

import { afterAll } from 'vitest';
import type { PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openPglite } from '../src/engines/postgres/pglite-driver.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { OpenEngine } from '../src/testing/engine-subject.ts';

const STATEMENT_TIMEOUT_MS = 30_000;

// Row by row and without triggers: to truncate so many tables takes a hundred times as long as they have rows.
const EMPTY = `
  DO $$
  DECLARE
    name text;
  BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN
      SELECT tablename FROM pg_tables WHERE schemaname = 'lamina' AND tablename NOT IN ('schema_migrations', 'embedding_spaces')
    LOOP
      EXECUTE format('DELETE FROM lamina.%I', name);
    END LOOP;
  END $$`;

export interface PostgresDatabaseUnderTest {
  /** An engine on the emptied database; closing it leaves the connections open for the next. */
  open(clock: Clock): Promise<PostgresEngine>;
  /** Another one beside it, on what is there. */
  another(clock: Clock): Promise<PostgresEngine>;
  /** A connection as whoever owns everything. */
  readonly driver: PostgresDriver;
  readonly subject: OpenEngine;
}

/** In this process. */
export function pgliteUnderTest(): Promise<PostgresDatabaseUnderTest> {
  return underTest(() => openPglite());
}

/**
 * Closed when the tests of the file have ended. Emptied by a superuser, whom `openSuperuser` gives where the driver is
 * none: nobody else may do so without triggers, or sees what there is.
 */
export async function underTest(
  openDriver: () => Promise<PostgresDriver>,
  openSuperuser: () => Promise<PostgresDriver> = openDriver,
): Promise<PostgresDatabaseUnderTest> {
  const driver = await openDriver();
  const superuser = openSuperuser === openDriver ? driver : await openSuperuser();
  afterAll(() => Promise.all([...new Set([driver, superuser])].map((each) => each.close())));
  await migratePostgres(driver, { now: 0 });
  const engineOn = (clock: Clock): Promise<PostgresEngine> =>
    PostgresEngine.open({ driver: keptOpen(driver), clock, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const open = async (clock: Clock): Promise<PostgresEngine> => {
    await empty(superuser);
    return engineOn(clock);
  };
  const subject: OpenEngine = async (clock) => {
    let engine = await open(clock);
    return {
      engine,
      reopen: async () => {
        await engine.close();
        engine = await engineOn(clock);
        return engine;
      },
      close: () => engine.close(),
    };
  };
  return { driver, open, another: engineOn, subject };
}

async function empty(driver: PostgresDriver): Promise<void> {
  const connection = await driver.reserve();
  try {
    await connection.query(EMPTY);
  } finally {
    connection.release();
  }
}

function keptOpen(driver: PostgresDriver): PostgresDriver {
  return {
    reserve: () => driver.reserve(),
    dedicate: (lost) => driver.dedicate(lost),
    listen: (channel, heard, ready) => driver.listen(channel, heard, ready),
    close: async () => {},
  };
}
