/** `lamina doctor` on PostgreSQL servers that are set up badly, and on one that is set up well. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseConfiguration } from '../src/compose/configuration.ts';
import { roleFindings, settingFindings, versionFindings } from '../src/compose/doctor/postgres-checks.ts';
import { startService } from '../src/compose/service.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { callCli } from './cli-caller.ts';
import { examine, type Examined } from './doctor-caller.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { startPooler, whyNoPooler } from './pooler-process.ts';
import { describeOnPostgres, execute, freshDatabase } from './postgres-server.ts';
import { securedDatabase, type SecuredDatabase } from './secured-database.ts';

let models: ModelServer;

beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models.close());

const environment = (): Record<string, string> => ({ ...models.environment, LAMINA_PORT: '0' });

const look = (url: string, ...args: string[]): Promise<Examined> =>
  examine(['--database', url, ...args], environment());

describeOnPostgres('a database set up with care', () => {
  let database: SecuredDatabase;
  beforeAll(async () => {
    database = await securedDatabase();
    for (const text of ['I like tea', 'I like coffee']) {
      const added = await callCli(['add', text, '--database', database.serviceUrl], { environment: environment() });
      expect(added).toMatchObject({ code: 0 });
    }
  });
  afterAll(() => database.drop());

  it('keeps tenants apart and has all vectors; what the server of tests lacks is told', async () => {
    const { found, amiss } = await look(database.serviceUrl, '--deep');
    for (const name of ['database', 'schema', 'integrity', 'index-drift', 'clock', 'postgres-roles', 'model']) {
      expect({ name, states: found[name]?.map(({ state }) => state) }).toEqual({ name, states: ['ok'] });
    }
    // It is not made to survive a loss of power, and has whichever pgvector there is.
    expect(amiss.filter((name) => !['postgres-settings', 'postgres-versions'].includes(name))).toEqual([]);
  });

  it.skipIf(whyNoPooler() !== undefined)('behind a pooler needs a way around it', async () => {
    const pooler = await startPooler(database.serviceUrl, 2);
    onTestFinished(() => pooler.close());
    const { found } = await look(pooler.url);
    expect(found['postgres-sessions']).toMatchObject([
      { state: 'problem', fix: expect.stringContaining('DIRECT_URL') },
    ]);
    const around = await examine(['--database', pooler.url], {
      ...environment(),
      LAMINA_DATABASE_DIRECT_URL: database.serviceUrl,
    });
    expect(around.found['postgres-sessions']?.[0]?.state).toBe('ok');
    const nowhere = { ...environment(), LAMINA_DATABASE_DIRECT_URL: 'postgres://a:hush-hush@127.0.0.1:1/b' };
    const lost = await examine(['--database', pooler.url], nowhere);
    expect(lost.found['postgres-sessions']?.[0]?.state).toBe('problem');
    expect(lost.text).not.toContain('hush-hush');
  });

  it('is served without a word; a service that connects as a superuser says so in its log', async () => {
    const logged = async (url: string): Promise<string> => {
      const lines: string[] = [];
      const settings = { ...environment(), LAMINA_DATABASE_URL: url, LAMINA_MAINTENANCE_SCHEDULE: 'off' };
      const service = await startService(parseConfiguration({ environment: settings }), {
        version: '1.2.3',
        logger: { level: 'warn', stream: { write: (line) => lines.push(line) } },
      });
      await service.close();
      return lines.join('');
    };
    expect(await logged(database.serviceUrl)).toBe('');
    expect(await logged(database.superuserUrl)).toContain('which is a superuser: whoever gets hold of its password');
  });

  it('that lacks vectors says how many, for each tenant', async () => {
    await execute(
      database.superuserUrl,
      'DELETE FROM lamina.embeddings WHERE seq = (SELECT min(seq) FROM lamina.embeddings)',
    );
    const { found, code } = await look(database.serviceUrl);
    expect(code).toBe(1);
    expect(found['index-drift']).toMatchObject([
      { state: 'problem', message: expect.stringContaining(`1 of 2 memories of tenant ${NIL_TENANT} have no vector`) },
    ]);
    const fixed = await callCli(['doctor', '--fix', '--yes', '--json', '--database', database.serviceUrl], {
      environment: environment(),
    });
    expect(JSON.parse(fixed.stdout)).toMatchObject({
      repairs: [{ isDone: true, told: '1 memory was given a vector.' }],
    });
    expect((await look(database.serviceUrl)).found['index-drift']?.[0]?.state).toBe('ok');
  });

  it('whose words are gone is found', async () => {
    await execute(database.superuserUrl, 'DELETE FROM lamina.entry_words');
    const { found } = await look(database.serviceUrl);
    expect(found['index-drift']?.[0]?.message).toContain('2 of 2 memories');
  });

  it('with a table that is not guarded, and an index that is not valid, is found', async () => {
    await execute(database.superuserUrl, 'ALTER TABLE lamina.entries NO FORCE ROW LEVEL SECURITY');
    await execute(
      database.superuserUrl,
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'lamina.embeddings_partition'::regclass`,
    );
    const { found } = await look(database.serviceUrl);
    expect(found['postgres-roles']).toMatchObject([
      { state: 'problem', message: expect.stringContaining('off for entries') },
    ]);
    expect(found['integrity']?.[0]).toMatchObject({ message: expect.stringContaining('embeddings_partition') });
  });

  it('of a newer Lamina, or an older one, is found and left as it is', async () => {
    await execute(database.superuserUrl, "DELETE FROM lamina.schema_migrations WHERE name LIKE '0009%'");
    const { found } = await look(database.serviceUrl);
    expect(found['schema']).toMatchObject([{ state: 'problem', fix: 'lamina migrate' }]);
    expect((await look(database.serviceUrl)).found['schema']).toEqual(found['schema']);
    await execute(
      database.superuserUrl,
      "INSERT INTO lamina.schema_migrations VALUES (9999, '9999_later.sql', 'x', true, 0)",
    );
    expect((await look(database.serviceUrl)).found['schema']?.[0]?.message).toContain('newer Lamina');
  });
});

describeOnPostgres('a login that is no member of lamina_service', () => {
  it('is told once what to grant it, and is a mistake of the configuration', async () => {
    const database = await securedDatabase();
    onTestFinished(() => database.drop());
    const login = new URL(database.serviceUrl).username;
    await execute(database.superuserUrl, `REVOKE lamina_service FROM ${login}`);
    const fix = `GRANT lamina_service TO "${login}"`;
    for (const migrate of ['auto', 'off']) {
      const args = ['list', '--database', database.serviceUrl];
      const listed = await callCli(args, { environment: { ...environment(), LAMINA_MIGRATE: migrate } });
      expect(listed).toMatchObject({ code: 78, stdout: '' });
      expect(listed.stderr).toMatch(/^CONFIGURATION_ERROR: .*may not use the schema "lamina"/);
      expect(listed.stderr).toContain(fix);
    }
    const { found, amiss } = await look(database.serviceUrl);
    expect(amiss).toEqual(['database']);
    expect(found['database']).toMatchObject([{ state: 'problem', fix }]);
  });
});

describeOnPostgres('an empty database', () => {
  it('is not migrated by being looked at, and a superuser is warned of', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    for (const _ of [1, 2]) {
      const { found, code } = await look(url);
      expect(code).toBe(1);
      expect(found['schema']).toMatchObject([
        { state: 'problem', message: expect.stringContaining('0001_memory.sql') },
      ]);
      expect(found['postgres-versions']?.[0]?.message).toContain('is not there');
      expect(found['postgres-roles']?.[0]).toMatchObject({
        state: 'warning',
        message: expect.stringContaining('is a superuser'),
      });
    }
  });
});

describe('what a server says of itself', () => {
  const server = {
    version: '17.2',
    versionNumber: 170_002,
    vectorVersion: '0.8.3',
    parallelWorkers: 2,
    maxConnections: 100,
    isFlushed: true,
    writesFullPages: true,
    synchronousCommit: 'on',
    isShutOut: false,
    role: 'lamina_login',
    isSuperuser: false,
    mayBypass: false,
  };
  const guard = { serviceRole: { mayBypass: false, isMember: true }, unforced: [] };
  const states = (findings: readonly { readonly state: string }[]): string[] => findings.map(({ state }) => state);

  it.each([
    [{}, ['ok']],
    [{ versionNumber: 140_000 }, ['problem']],
    [{ vectorVersion: null }, ['problem']],
    [{ vectorVersion: '0.7.4' }, ['warning']],
    [{ vectorVersion: '0.8.0' }, ['warning']],
    [{ vectorVersion: '0.8.0', parallelWorkers: 0 }, ['ok']],
    [{ vectorVersion: '0.10.0' }, ['ok']],
  ])('of its versions %j is %j', (said, expected) => {
    expect(states(versionFindings({ ...server, ...said }))).toEqual(expected);
  });

  it.each([
    [{}, ['ok']],
    [{ isFlushed: false }, ['problem']],
    [{ writesFullPages: false }, ['problem']],
    [{ synchronousCommit: 'off' }, ['problem']],
    [{ maxConnections: 10 }, ['warning']],
  ])('of its settings %j is %j', (said, expected) => {
    expect(states(settingFindings({ ...server, ...said }, 10))).toEqual(expected);
  });

  it('of its roles is judged', () => {
    expect(states(roleFindings(server, guard))).toEqual(['ok']);
    expect(states(roleFindings({ ...server, mayBypass: true }, guard))).toEqual(['warning']);
    const broken = { serviceRole: { mayBypass: true, isMember: false }, unforced: ['entries'] };
    expect(states(roleFindings(server, broken))).toEqual(['problem', 'problem', 'problem']);
  });
});
