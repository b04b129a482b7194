/** Statements that are one message to the server: a transaction of their own, whatever becomes of it. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PostgresConnection, PostgresDriver, PostgresResult } from '../src/engines/postgres/postgres-driver.ts';
import { codeOf } from '../src/engines/postgres/postgres-error.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import type { Statement } from '../src/engines/postgres/postgres-statement.ts';
import { describeOnPostgres, freshDatabase, type FreshDatabase } from './postgres-server.ts';

const INSERT = 'INSERT INTO told VALUES ($1::text)';
const COUNT = 'SELECT count(*) AS count FROM told';
const FAIL = 'SELECT 1 / $1::int AS quotient';

describeOnPostgres('a message to PostgreSQL', () => {
  let database: FreshDatabase;
  let driver: PostgresDriver;
  let connection: PostgresConnection;

  beforeAll(async () => {
    database = await freshDatabase();
    driver = await openServer({ url: database.url, poolSize: 1, preparesStatements: true });
    connection = await driver.reserve();
    await connection.query('CREATE TABLE told (text text)');
  });
  afterAll(async () => {
    connection.release();
    await driver.close();
    await database.drop();
  });

  async function send<R>(...statements: Statement[]): Promise<PostgresResult<R>> {
    if (connection.transact === undefined) throw new Error('There are no messages.');
    return connection.transact<R>(statements);
  }

  it('answers as its last statement, and leaves nothing set', async () => {
    const set = { sql: `SELECT set_config('app.current_tenant', $1, true)`, values: ['t'] };
    const show = { sql: `SELECT current_setting('app.current_tenant', true) AS tenant`, values: [] };
    expect(await send(set, show)).toEqual({ rows: [{ tenant: 't' }], count: 1 });
    expect((await send<{ tenant: string }>(show)).rows[0]?.tenant).toBe('');
  });

  it('takes everything back when a statement fails, and can be sent again', async () => {
    const insert = { sql: INSERT, values: ['once'] };
    const count = { sql: COUNT, values: [] };
    for (const _ of ['before they are prepared', 'after']) {
      const failure = await send(insert, { sql: FAIL, values: [0] }, count).catch((error: unknown) => error);
      expect(codeOf(failure)).toBe('22012');
      expect((await send(count)).rows).toEqual([{ count: 0 }]);
    }
    expect((await send(insert, { sql: FAIL, values: [1] }, count)).rows).toEqual([{ count: 1 }]);
  });

  it('carries every kind of value', async () => {
    const texts = ['a"b', 'c\\d', '{e,f}', '', 'NULL', 'ü\n'];
    const sql =
      'SELECT $1::text[] AS texts, $2::int[] AS numbers, $3::text AS none, $4::boolean AS yes, $5::bytea AS bytes';
    const { rows } = await send({ sql, values: [texts, [1, 2], null, true, Uint8Array.of(1, 255)] });
    expect(rows).toEqual([{ texts, numbers: [1, 2], none: null, yes: true, bytes: Buffer.of(1, 255) }]);
  });
});
