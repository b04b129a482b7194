/** The roles of a managed service, where nobody is a superuser, on a PostgreSQL that tells members of a role apart. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPglite } from '../src/engines/postgres/pglite-driver.ts';
import type { PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';

const STATEMENT_TIMEOUT_MS = 30_000;

/** What an administrator hands over: a login that may make roles and schemas in its database, and the extension. */
const HAND_OVER = `
  CREATE EXTENSION vector;
  CREATE ROLE customer LOGIN CREATEROLE;
  DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO customer', current_database()); END $$;
  SET SESSION AUTHORIZATION customer`;

let driver: PostgresDriver;

async function execute(sql: string): Promise<void> {
  const connection = await driver.reserve();
  try {
    await connection.query(sql);
  } finally {
    connection.release();
  }
}

function open(): Promise<PostgresEngine> {
  return PostgresEngine.open({ driver, clock: new ManualClock(), statementTimeoutMs: STATEMENT_TIMEOUT_MS });
}

beforeAll(async () => {
  driver = await openPglite();
  await execute(HAND_OVER);
  await migratePostgres(driver, { now: 0 });
});

afterAll(() => driver.close());

it('whoever migrates may take on the role that the migrations made, and serve', async () => {
  const engine = await open();
  const write = { mutation: { type: 'set', value: 1 }, maxBytes: 100 } as const;
  expect(await engine.state.write(TENANT, 'n', 'k', write)).toMatchObject({ value: 1 });
  expect(await engine.state.get(TENANT, 'n', 'k')).toMatchObject({ value: 1 });
});

it('a member that may not take the role on is refused at the start, and not with the first request', async () => {
  await execute('REVOKE SET OPTION FOR lamina_service FROM customer');
  await expect(open()).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining('must be a member of lamina_service'),
  });
  await execute('GRANT lamina_service TO customer WITH SET TRUE');
  await expect(open()).resolves.toBeInstanceOf(PostgresEngine);
});

it('a service that is a member of an owner would see as much as that one, and is refused', async () => {
  await execute('SET SESSION AUTHORIZATION postgres; ALTER TABLE lamina.embeddings OWNER TO postgres');
  await expect(open()).resolves.toBeInstanceOf(PostgresEngine);
  await execute('GRANT postgres TO lamina_service');
  await expect(open()).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining('could get around row-level security'),
  });
});
