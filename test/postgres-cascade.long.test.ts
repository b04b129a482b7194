/** What hangs on a user or a tenant goes with its row, by plain SQL: no table is forgotten, and nothing else is touched. */

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import type { PostgresConnection } from '../src/engines/postgres/postgres-driver.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import type { StoredKey } from '../src/ports/key-store.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres, execute, freshDatabase, postgresServer, urlOf } from './postgres-server.ts';
import { liveAsHost, liveInTiers } from './tier-life.ts';
import { pgliteUnderTest, underTest, type PostgresDatabaseUnderTest } from './postgres-subject.ts';

const TENANT = '00000000-0000-4000-8000-00000000000a';
const NEIGHBOUR = '00000000-0000-4000-8000-00000000000b';

/** Rows by table. */
type Tally = Record<string, number>;

/** What is left of a tenant when its only user but an administrator is gone. A new table must be thought of here. */
const WITHOUT_USER: Tally = {
  tenants: 1,
  // The administrator.
  users: 1,
  // What belongs to the project, its past and its two events; it was read once. What the user edited in a context.
  partitions: 2,
  entries: 2,
  entry_versions: 1,
  entry_accesses: 1,
  entry_words: 5,
  word_counts: 5,
  embeddings: 2,
  // And that of the entry in the context, and of the value in the pool that the user was let into.
  events: 4,
  state: 1,
  pools: 1,
  contexts: 1,
  context_snapshots: 1,
  context_accesses: 1,
  // The tenant's, whoever is in it.
  data_keys: 1,
  // What belongs to the project.
  facts: 1,
  fact_scopes: 1,
  maintenance_runs: 1,
  plans: 0,
  plan_context: 0,
  sessions: 0,
  task_context: 0,
  record_links: 0,
  api_keys: 0,
  // That the key was made.
  audit_log: 1,
};

/** It seals nothing. */
const KEY: StoredKey = {
  id: 'k',
  purpose: 'data',
  wrapped: '',
  masterId: 'm',
  createdAt: 0,
  retiredAt: null,
  completeAt: null,
};

/** Tables of no tenant. */
const TIMELESS = ['embedding_spaces', 'erased_tenants', 'schema_migrations', 'spaces_in_use'];

/** Says for whom, as the functions of the schema read it. */
const asFor = (purpose: string): string => `
  SELECT set_config('app.current_tenant', '${TENANT}', true), set_config('app.current_user', 'u', true),
         set_config('app.purpose', '${purpose}', true)`;

async function using<T>(
  { driver }: PostgresDatabaseUnderTest,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = await driver.reserve();
  try {
    await connection.query('BEGIN');
    const value = await work(connection);
    await connection.query('COMMIT');
    return value;
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
}

async function tallyOf(connection: PostgresConnection, tenantId: string): Promise<Tally> {
  await connection.query(asFor('administration').replace(TENANT, tenantId));
  const { rows: tables } = await connection.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lamina'",
  );
  const tally: Tally = {};
  for (const { name } of tables.filter((table) => !TIMELESS.includes(table.name))) {
    const column = name === 'tenants' ? 'id' : 'tenant_id';
    const sql = `SELECT count(*) AS count FROM lamina.${name} WHERE ${column} = $1::uuid`;
    tally[name] = (await connection.query<{ count: number }>(sql, [tenantId])).rows[0]?.count ?? -1;
  }
  return tally;
}

/** Where the text index does not say what the entries say. */
const INCONSISTENT = `
  SELECT p.key FROM lamina.partitions p
  WHERE p.entry_count <> (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = p.tenant_id AND e.partition_id = p.id)
     OR p.lexeme_count <> (SELECT coalesce(sum(e.length), 0) FROM lamina.entries e
                           WHERE e.tenant_id = p.tenant_id AND e.partition_id = p.id)
  UNION ALL
  SELECT w.lexeme FROM lamina.entry_words w
  WHERE NOT EXISTS (SELECT 1 FROM lamina.entries e WHERE e.tenant_id = w.tenant_id AND e.seq = w.seq)
  UNION ALL
  SELECT c.lexeme FROM lamina.word_counts c
  WHERE c.documents <> (SELECT count(*) FROM lamina.entry_words w WHERE w.tenant_id = c.tenant_id
                          AND w.partition_id = c.partition_id AND w.lexeme = c.lexeme)`;

/** Wherever the user was named in what is another's. */
const NAMES = `
  SELECT (SELECT json_build_object('access', access, 'members', members) FROM lamina.pools WHERE tenant_id = 'TENANT') AS pool,
         (SELECT json_build_object('access', access, 'members', members) FROM lamina.contexts WHERE tenant_id = 'TENANT')
           AS context,
         (SELECT actor_id FROM lamina.context_accesses WHERE tenant_id = 'TENANT') AS actor,
         (SELECT created_by FROM lamina.context_snapshots WHERE tenant_id = 'TENANT') AS creator,
         (SELECT metadata ->> 'context.editedBy' FROM lamina.entries WHERE tenant_id = 'TENANT' AND owner_id = 'root') AS editor`;

/** A user with something of every kind, in two tenants. */
async function fill(database: PostgresDatabaseUnderTest): Promise<void> {
  const engine = await database.open(systemClock);
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  for (const tenantId of [TENANT, NEIGHBOUR]) {
    const root = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
    const life = new UserLife(lamina.as({ tenantId, userId: 'u' }), 'u', 'quokka');
    await life.live();
    await root.keys.create({ name: 'robot', userId: 'u' });
    await root.get({ id: life.commonId });
    await liveInTiers(engine, { tenantId, userId: 'u' }, 'quokka');
    await liveAsHost(engine, { tenantId, userId: 'root' }, 'u');
    await engine.keys.change(tenantId, () => [KEY]);
  }
  await lamina.close();
}

function cascades(database: PostgresDatabaseUnderTest | undefined): void {
  if (database === undefined) return;
  let before: Tally;

  beforeEach(async () => {
    await fill(database);
    before = await using(database, (connection) => tallyOf(connection, TENANT));
    // The test itself must have put something everywhere.
    expect(Object.keys(before).toSorted()).toEqual(Object.keys(WITHOUT_USER).toSorted());
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  });

  const remove = (sql: string, purpose = 'administration'): Promise<number> =>
    using(database, async (connection) => {
      await connection.query(asFor(purpose));
      return (await connection.query(sql, [])).count;
    });
  const tally = (tenantId: string): Promise<Tally> => using(database, (connection) => tallyOf(connection, tenantId));
  const inconsistent = (): Promise<unknown[]> =>
    using(database, async (connection) => {
      await connection.query(asFor('administration'));
      return (await connection.query(INCONSISTENT)).rows;
    });

  it('a user', async () => {
    expect(await remove(`DELETE FROM lamina.users WHERE tenant_id = '${TENANT}' AND id = 'u'`)).toBe(1);
    expect(await tally(TENANT)).toEqual(WITHOUT_USER);
    expect(await tally(NEIGHBOUR)).toEqual(before);
    expect(await inconsistent()).toEqual([]);
    const actors = await using(database, async (connection) => {
      await connection.query(asFor('administration'));
      return (await connection.query(`SELECT DISTINCT actor_id FROM lamina.events WHERE tenant_id = '${TENANT}'`)).rows;
    });
    expect(actors.toSorted((a, b) => (String(a['actor_id']) < String(b['actor_id']) ? -1 : 1))).toEqual([
      { actor_id: '' },
      { actor_id: 'root' },
    ]);
    // Those who let the user in keep what they have, without the name.
    const pseudonym = `sha256:${createHash('sha256').update('u').digest('hex')}`;
    const left = await using(database, async (connection) => {
      await connection.query(asFor('administration'));
      return (await connection.query(NAMES.replaceAll('TENANT', TENANT))).rows[0];
    });
    const access = { read: [], write: ['x'], publicRead: false };
    expect(left).toEqual({
      pool: { access, members: ['x'] },
      context: { access, members: ['x'] },
      actor: pseudonym,
      creator: pseudonym,
      editor: pseudonym,
    });
  });

  it('a tenant', async () => {
    expect(await remove(`DELETE FROM lamina.tenants WHERE id = '${TENANT}'`)).toBe(1);
    expect(Object.entries(await tally(TENANT)).filter(([, count]) => count !== 0)).toEqual([]);
    expect(await tally(NEIGHBOUR)).toEqual(before);
    expect(await inconsistent()).toEqual([]);
  });

  it('neither by the way: the service has to say that it administers', async () => {
    await using(database, async (connection) => {
      await connection.query(asFor(''));
      await connection.query("SELECT set_config('role', 'lamina_service', true)");
      expect((await connection.query('DELETE FROM lamina.users', [])).count).toBe(0);
      expect((await connection.query('DELETE FROM lamina.tenants', [])).count).toBe(0);
    });
    expect(await tally(TENANT)).toEqual(before);
  });
}

/** A database whose schema belongs to somebody who is no superuser, as it should be. */
async function ownedUnderTest(): Promise<PostgresDatabaseUnderTest | undefined> {
  const server = await postgresServer();
  if (server === undefined) return undefined;
  const { url, drop } = await freshDatabase();
  const owner = `lamina_owner_${randomBytes(4).toString('hex')}`;
  afterAll(async () => {
    await drop();
    await execute(server, `DROP ROLE ${owner}`);
  });
  await execute(
    url,
    `CREATE EXTENSION vector;
     CREATE ROLE ${owner} LOGIN NOSUPERUSER NOBYPASSRLS CREATEROLE;
     DO $$ BEGIN
       IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'lamina_service') THEN GRANT lamina_service TO ${owner}; END IF;
       EXECUTE format('GRANT CREATE ON DATABASE %I TO ${owner}', current_database());
     END $$`,
  );
  const openAs = (address: string) => openServer({ url: address, poolSize: 4, preparesStatements: true });
  return underTest(
    () => openAs(urlOf(url, { user: owner })),
    () => openAs(url),
  );
}

const [inProcess, onServer, owned] = [await pgliteUnderTest(), await serverUnderTest(), await ownedUnderTest()];

describe('in this process', () => {
  cascades(inProcess);
});
describeOnPostgres('on a server', () => {
  describe('as a superuser', () => {
    cascades(onServer);
  });
  describe('as an owner who is none', () => {
    cascades(owned);
  });
});
