/** A database of its own for each peer, on the server that BENCH_POSTGRES_URL names. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface PostgresDatabase {
  readonly url: string;
  /** What it has grown by since it was made. */
  bytes(): Promise<number>;
  drop(): Promise<void>;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** The role has to be allowed to create databases, and the extension `vector` has to be there. */
export async function createDatabase(serverUrl: string): Promise<PostgresDatabase> {
  const name = `lamina_bench_peers_${randomBytes(6).toString('hex')}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const size = async (): Promise<number> => {
    const [row] = await query(serverUrl, `SELECT pg_database_size('${name}') AS bytes`);
    return Number(row?.['bytes']);
  };
  const empty = await size();
  return {
    url: url.href,
    bytes: async () => (await size()) - empty,
    drop: async () => void (await query(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** What autovacuum would do within a minute: without it the first plans are guesses. */
export async function analyze(url: string): Promise<void> {
  await query(url, 'ANALYZE');
}

/** Whether a commit waits for the disk there. */
export async function isDurable(serverUrl: string): Promise<boolean> {
  const sql = `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit`;
  const [row] = await query(serverUrl, sql);
  return row?.['fsync'] === 'on' && row['commit'] !== 'off';
}
