/** PostgreSQL within a trace: its sessions name the trace, and its connections are counted. */

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { openPglite } from '../src/engines/postgres/pglite-driver.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import { migratePostgres } from '../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const NAME = `SELECT current_setting('application_name') AS name`;

it('names the trace for the time of a transaction', async () => {
  const driver = await openPglite();
  onTestFinished(() => driver.close());
  await migratePostgres(driver, { now: 0 });
  let traceparent: string | undefined = TRACEPARENT;
  const options = { driver, clock: systemClock, statementTimeoutMs: 30_000, traceparent: () => traceparent };
  const database = new PostgresDatabase(options);
  // All of it: PostgreSQL would cut off what is longer than 63 bytes.
  expect(await database.read({}, NAME)).toEqual([{ name: `lamina ${TRACEPARENT}` }]);
  const inside = await database.transaction({}, (transaction) => transaction.query(NAME));
  expect(inside.rows).toEqual([{ name: `lamina ${TRACEPARENT}` }]);
  traceparent = undefined;
  expect((await database.read<{ name: string }>({}, NAME))[0]?.name).not.toContain('lamina 00');
});

describeOnPostgres('connections to PostgreSQL', () => {
  it('are counted: used, idle, and who waits for one', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const driver = await openServer({ url, poolSize: 2, preparesStatements: true });
    onTestFinished(() => driver.close());
    expect(driver.load?.()).toEqual({ used: 0, idle: 0, waiting: 0 });
    const held = await Promise.all([driver.reserve(), driver.reserve()]);
    const waiting = driver.reserve();
    expect(driver.load?.()).toEqual({ used: 2, idle: 0, waiting: 1 });
    for (const connection of held) connection.release();
    (await waiting).release();
    expect(driver.load?.()).toEqual({ used: 0, idle: 2, waiting: 0 });
  });
});
