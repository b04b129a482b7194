/** A copy of a database on the same server, for whoever is to begin from the same. As a superuser; nobody may be connected to it. */

import { openServer } from '../../src/engines/postgres/server-driver.ts';

export interface DatabaseCopy {
  readonly url: string;
  drop(): Promise<void>;
}

export async function copyDatabase(url: string): Promise<DatabaseCopy> {
  const original = decodeURIComponent(new URL(url).pathname.slice(1));
  const name = `${original}_raw`;
  const drop = (): Promise<void> => execute(url, `DROP DATABASE IF EXISTS ${quoted(name)}`);
  await drop();
  await execute(url, `CREATE DATABASE ${quoted(name)} TEMPLATE ${quoted(original)}`);
  return { url: within(url, name), drop };
}

/** From another database, which every server has. */
async function execute(url: string, sql: string): Promise<void> {
  const driver = await openServer({ url: within(url, 'postgres'), poolSize: 1, preparesStatements: false });
  try {
    const connection = await driver.reserve();
    await connection.query(sql);
    connection.release();
  } finally {
    await driver.close();
  }
}

function within(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.href;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
