/** What the migrations make of a database, and who may run them when. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite } from '../src/engines/postgres/pglite-driver.ts';
import type { PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { describeSchema } from './postgres-schema.ts';
import { describeOnPostgres, freshDatabase, type FreshDatabase } from './postgres-server.ts';

const SNAPSHOT = '../sql/postgres/schema.txt';

/** Seconds to open and to migrate, and many more where the machine is busy. */
const PGLITE_MS = 60_000;

function schemaOf(driver: PostgresDriver): Promise<string> {
  return describeSchema(async (sql) => {
    const connection = await driver.reserve();
    try {
      const { rows } = await connection.query(sql);
      return rows.map((row) => String(Object.values(row)[0]));
    } finally {
      connection.release();
    }
  });
}

describe('the schema on PGlite', () => {
  it(
    'is the one of the snapshot',
    async () => {
      const driver = await openPglite();
      await migratePostgres(driver, { now: 0 });
      await expect(await schemaOf(driver)).toMatchFileSnapshot(SNAPSHOT);
      await driver.close();
    },
    PGLITE_MS,
  );
});

describeOnPostgres('the schema on a server', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('is the one of the snapshot', async () => {
    const driver = await openServer({ url: database.url, poolSize: 2, preparesStatements: true });
    await migratePostgres(driver, { now: 0 });
    await expect(await schemaOf(driver)).toMatchFileSnapshot(SNAPSHOT);
    await driver.close();
  });
});
