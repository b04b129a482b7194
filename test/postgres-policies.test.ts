/** That no table is left open, that the role of the service is bound, and that Lamina does not run where it is not. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import { openServer } from '../src/engines/postgres/server-driver.ts';
import type { PostgresProcess } from './postgres-process.ts';
import { connect, describeOnOwnPostgres, describeOnPostgres, execute, ownServer, urlOf } from './postgres-server.ts';
import { securedDatabase, type SecuredDatabase } from './secured-database.ts';

async function rows(url: string, statement: string): Promise<unknown[]> {
  const client = await connect(url);
  try {
    return (await client.query<unknown[]>({ text: statement, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

describeOnPostgres('the policies of a migrated database', () => {
  let database: SecuredDatabase;
  beforeAll(async () => {
    database = await securedDatabase();
  });
  afterAll(() => database.drop());

  const found = (statement: string): Promise<unknown[]> => rows(database.superuserUrl, statement);

  it('are there for every table, which enforces them and binds its owner', async () => {
    const tables = `FROM pg_class c WHERE c.relnamespace = 'lamina'::regnamespace AND c.relkind IN ('r', 'p', 'f', 'm', 'v')`;
    expect((await found(`SELECT c.relname ${tables}`)).length).toBeGreaterThan(15);
    expect(await found(`SELECT c.relname ${tables} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`)).toEqual([]);
    expect(
      await found(`SELECT c.relname ${tables} AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)`),
    ).toEqual([]);
  });

  it('check what is written, and not only what is read', async () => {
    const unchecked = `
      SELECT tablename || '.' || policyname FROM pg_policies
      WHERE schemaname = 'lamina' AND cmd IN ('ALL', 'INSERT', 'UPDATE') AND coalesce(with_check, qual) IS NULL`;
    expect(await found(unchecked)).toEqual([]);
    // Whatever lets everyone see everything is one of the three tables that tell nothing of anybody.
    const open = `
      SELECT DISTINCT tablename FROM pg_policies
      WHERE schemaname = 'lamina' AND 'true' IN (qual, with_check) ORDER BY tablename`;
    expect(await found(open)).toEqual(['embedding_spaces', 'schema_migrations', 'spaces_in_use']);
  });

  it('bind the role of the service, which owns nothing and can make nothing', async () => {
    const role = `SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR rolcanlogin
      FROM pg_roles WHERE rolname = 'lamina_service'`;
    expect(await found(role)).toEqual([false]);
    const owned = `
      SELECT relname FROM pg_class WHERE relowner = 'lamina_service'::regrole
      UNION ALL SELECT proname FROM pg_proc WHERE proowner = 'lamina_service'::regrole
      UNION ALL SELECT nspname FROM pg_namespace WHERE nspowner = 'lamina_service'::regrole`;
    expect(await found(owned)).toEqual([]);
    const memberships = `SELECT 1 FROM pg_auth_members WHERE member = 'lamina_service'::regrole`;
    expect(await found(memberships)).toEqual([]);
    expect(await found(`SELECT has_schema_privilege('lamina_service', 'lamina', 'CREATE')`)).toEqual([false]);
  });

  it('leave no function that runs as the owner to strangers, or to a path that they choose', async () => {
    const definers = `FROM pg_proc p WHERE p.pronamespace = 'lamina'::regnamespace AND p.prosecdef`;
    expect((await found(`SELECT p.proname ${definers}`)).length).toBeGreaterThan(0);
    const loose = `SELECT p.proname ${definers} AND NOT coalesce(p.proconfig::text LIKE '%search_path=pg_catalog, pg_temp%', false)`;
    expect(await found(loose)).toEqual([]);
    const everybodys = `SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'lamina'::regnamespace
      AND has_function_privilege('public', p.oid, 'EXECUTE')`;
    expect(await found(everybodys)).toEqual([]);
  });

  it('keep a superuser from deleting by hand without the words, and let it with them', async () => {
    const tenant = '00000000-0000-4000-8000-00000000000d';
    const enter = `SET LOCAL app.current_tenant = '${tenant}'`;
    const scope = JSON.stringify(['user', 'dora']);
    const key = JSON.stringify(['semantic', '', scope]);
    const fill = `
      INSERT INTO lamina.tenants VALUES ('${tenant}', 0);
      INSERT INTO lamina.users VALUES ('${tenant}', 'dora', 0);
      INSERT INTO lamina.partitions (tenant_id, key, layer, scope_key) VALUES ('${tenant}', '${key}', 'user', '${scope}');
      INSERT INTO lamina.entries (tenant_id, id, partition_id, scope_key, owner_id, kind, layer, identifiers, content,
          content_hash, metadata, tags, sensitivity, visibility, status, importance, confidence, relevance, decay_factor,
          version, created_at, updated_at, length, lexemes)
        SELECT tenant_id, gen_random_uuid(), id, scope_key, 'dora', 'semantic', layer, '{}', 'telltale', 'hash', '{}', '[]',
          'internal', 'shared', 'active', 0, 0, 0, 0, 1, 0, 0, 1, 'telltale' FROM lamina.partitions`;
    await execute(database.superuserUrl, `BEGIN; ${enter}; ${fill}; COMMIT`);
    const remove = `DELETE FROM lamina.tenants WHERE id = '${tenant}'`;
    const words = 'SELECT lexeme FROM lamina.entry_words UNION SELECT lexeme FROM lamina.word_counts';
    expect(await found(words)).toEqual(['telltale']);
    await expect(execute(database.superuserUrl, remove)).rejects.toThrow('app.current_tenant');
    await execute(database.superuserUrl, `BEGIN; ${enter}; ${remove}; COMMIT`);
    expect(await found(words)).toEqual([]);
    expect(await found('SELECT id FROM lamina.partitions')).toEqual([]);
  });
});

// Roles are the server's: what is done to them here would be done to every other test.
describeOnOwnPostgres('Lamina on a database that would not keep users apart', () => {
  let server: PostgresProcess;
  let database: SecuredDatabase;
  beforeAll(async () => {
    server = await ownServer({ fsync: 'off' });
    database = await securedDatabase(server.url);
  });
  afterAll(() => server.close());

  async function opening(url = database.serviceUrl): Promise<string> {
    const driver = await openServer({ url, poolSize: 1, preparesStatements: true });
    try {
      const engine = await PostgresEngine.open({ driver, clock: systemClock, statementTimeoutMs: 10_000 });
      await engine.close();
      return 'opened';
    } catch (error) {
      await driver.close();
      return `${(error as { code?: string }).code}: ${(error as Error).message}`;
    }
  }

  it('opens where everything is as it should be, also as the owner or a superuser', async () => {
    // Whoever connects, it is lamina_service that acts.
    expect(await opening()).toBe('opened');
    expect(await opening(database.ownerUrl)).toBe('opened');
    expect(await opening(database.superuserUrl)).toBe('opened');
  });

  describe.each([
    ['is a superuser', 'ALTER ROLE lamina_service SUPERUSER', 'ALTER ROLE lamina_service NOSUPERUSER'],
    ['bypasses policies', 'ALTER ROLE lamina_service BYPASSRLS', 'ALTER ROLE lamina_service NOBYPASSRLS'],
    [
      'owns a table',
      'ALTER TABLE lamina.state OWNER TO lamina_service',
      `ALTER TABLE lamina.state OWNER TO CURRENT_USER`,
    ],
  ])('where the role of the service %s', (_what, spoil, mend) => {
    it('refuses', async () => {
      await execute(database.superuserUrl, spoil);
      try {
        for (const url of [database.serviceUrl, database.superuserUrl]) {
          expect(await opening(url)).toMatch(/^CONFIGURATION_ERROR: .*lamina_service/);
        }
      } finally {
        await execute(database.superuserUrl, mend);
      }
      expect(await opening()).toBe('opened');
    });
  });

  it('refuses a login that is not a member of the role', async () => {
    await execute(database.superuserUrl, 'CREATE ROLE stranger LOGIN');
    const url = urlOf(database.superuserUrl, { user: 'stranger' });
    expect(await opening(url)).toMatch(/^CONFIGURATION_ERROR: .*member of lamina_service/);
  });
});
