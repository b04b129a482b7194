/** A database of a test file's own on a real server, for the contracts of an engine. */

import { afterAll } from 'vitest';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { freshDatabase, postgresServer, urlOf } from './postgres-server.ts';
import { underTest, type PostgresDatabaseUnderTest } from './postgres-subject.ts';

const POOL_SIZE = 10;

export interface ServerUnderTest extends PostgresDatabaseUnderTest {
  /** As superuser. */
  readonly url: string;
}

/** Undefined where there is no server: then the tests are declared with `describeOnPostgres`, which says so. */
export async function serverUnderTest(user?: string): Promise<ServerUnderTest | undefined> {
  if ((await postgresServer()) === undefined) return undefined;
  const { url, drop } = await freshDatabase();
  afterAll(drop);
  const address = user === undefined ? url : urlOf(url, { user });
  const driver = openServer({ url: address, poolSize: POOL_SIZE, preparesStatements: true });
  return { ...(await underTest(() => driver)), url };
}
