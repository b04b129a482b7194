/** `lamina doctor` in worlds that are broken on purpose: each check finds what it is for, and touches nothing. */

import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CHECK_LIST } from '../src/compose/doctor/doctor.ts';
import { skewFinding } from '../src/compose/doctor/database-checks.ts';
import { spaceFinding } from '../src/compose/doctor/folder-checks.ts';
import { memoryFinding, nodeFinding } from '../src/compose/doctor/machine-checks.ts';
import { runChecks } from '../src/compose/doctor/run-checks.ts';
import { redisFindings } from '../src/compose/doctor/service-checks.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { callCli } from './cli-caller.ts';
import { examine, type Examined } from './doctor-caller.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { openLamina, serveLamina } from './running-lamina.ts';
import { filesIn, makeFolder, removeFolder } from './sqlite-folder.ts';

let models: ModelServer;
let folder: string;
let file: string;

beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models.close());

beforeEach(async () => {
  const made = await makeFolder();
  folder = join(made, 'data');
  file = join(folder, 'tenants', `${NIL_TENANT}.db`);
  onTestFinished(() => removeFolder(made));
});

const environment = (): Record<string, string> => ({ ...models.environment, LAMINA_PORT: '0' });

const look = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<Examined> =>
  examine(['--database', `sqlite:${folder}`, ...args], { ...environment(), ...more });

async function remember(...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const added = await callCli(['add', text, '--database', `sqlite:${folder}`], { environment: environment() });
    expect(added.code).toBe(0);
  }
}

/** Does to the file what nobody should. */
function damage(sql: string): void {
  const db = new Sqlite(file);
  loadVectorFunctions(db);
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
}

/** Everything that lies in the folder, byte by byte. */
async function bytes(): Promise<Map<string, string>> {
  const files = await filesIn(folder);
  return new Map(
    await Promise.all(files.map(async (path) => [path, (await readFile(path)).toString('base64')] as const)),
  );
}

describe('a healthy folder', () => {
  it('has nothing amiss, and is the same afterwards', async () => {
    await remember('I like tea', 'I like coffee');
    const before = await bytes();
    for (const args of [[], ['--deep']]) {
      const { code, amiss, found } = await look(args);
      expect({ code, amiss }).toEqual({ code: 0, amiss: [] });
      expect(Object.keys(found)).toEqual(
        expect.arrayContaining(['node', 'schema', 'integrity', 'index-drift', 'model']),
      );
    }
    expect(await bytes()).toEqual(before);
  });

  it('is not made by being looked at', async () => {
    const { code, found } = await look();
    expect(code).toBe(0);
    expect(found['folder']?.[0]?.message).toContain('There is no data yet');
    expect(existsSync(folder)).toBe(false);
  });

  it('is shown in groups, with a line that sums up', async () => {
    await remember('I like tea');
    const { code, stdout } = await callCli(['doctor', '--database', `sqlite:${folder}`], {
      environment: environment(),
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Machine\n {2}✓ node {2}Node /);
    expect(stdout).toMatch(/\nAll is well: \d+ findings, none amiss\.\n$/);
  });
});

describe('data', () => {
  it.each([
    [0o777, 'problem', 'Every user of this machine'],
    [0o750, 'warning', 'The group of the folder'],
  ] as const)('that others can read is found (%o), and closed with --fix', async (mode, state, message) => {
    await remember('I like tea');
    await chmod(join(folder, 'tenants'), mode);
    await chmod(folder, mode);
    await chmod(file, 0o644);
    const { found, amiss } = await look();
    expect(amiss).toEqual(['file-modes']);
    expect(found['file-modes']).toMatchObject([{ state, message: expect.stringContaining(message), repairable: true }]);
    expect((await stat(folder)).mode & 0o777).toBe(mode);
    const refused = await callCli(['doctor', '--fix', '--database', `sqlite:${folder}`], {
      environment: environment(),
    });
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const left = await callCli(['doctor', '--fix', '--database', `sqlite:${folder}`], {
      environment: environment(),
      answers: 'n\n',
    });
    expect(left.stdout).toContain('Left: Close');
    expect((await stat(folder)).mode & 0o777).toBe(mode);
    const fixed = await callCli(['doctor', '--fix', '--database', `sqlite:${folder}`], {
      environment: environment(),
      answers: 'y\n',
    });
    expect({ code: fixed.code, told: fixed.stdout.includes('Put right:') }).toEqual({ code: 0, told: true });
    expect((await look()).amiss).toEqual([]);
  });

  it('that is no folder, and logs without a file, are found', async () => {
    await remember('I like tea');
    await writeFile(join(folder, 'tenants', '6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11.db-wal'), 'x');
    expect((await look()).amiss).toEqual(['leftovers']);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file');
    expect((await look()).found['folder']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('is no folder'),
    });
  });

  it('on a disk that fills up is found in time', () => {
    const gib = 1024 ** 3;
    expect(spaceFinding(50 * 1024 ** 2, gib, gib).state).toBe('problem');
    expect(spaceFinding(5 * gib, 20 * gib, 10 * gib).state).toBe('warning');
    expect(spaceFinding(50 * gib, 20 * gib, 10 * gib).state).toBe('ok');
  });
});

describe('a file', () => {
  it('of a former schema is told of, and left as it is', async () => {
    await remember('I like tea');
    damage('DELETE FROM schema_migrations WHERE number = 9');
    const before = await bytes();
    const { found } = await look();
    expect(found['schema']).toMatchObject([{ state: 'warning', message: expect.stringContaining('0009_lineage.sql') }]);
    expect(await bytes()).toEqual(before);
    damage("INSERT INTO schema_migrations VALUES (9999, '9999_later.sql', 'x', 0)");
    expect((await look()).found['schema']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('newer Lamina'),
    });
  });

  it('with damaged pages is found, and the other checks are run all the same', async () => {
    await remember('I like tea', 'I like coffee');
    const content = readFileSync(file);
    content.fill(0x5a, 8192 * 3, 8192 * 40);
    await writeFile(file, content);
    const { code, found } = await look();
    expect(code).toBe(1);
    expect(found['integrity']?.[0]).toMatchObject({ state: 'problem', fix: expect.stringContaining('backup') });
    expect(found['model']?.[0]?.state).toBe('ok');
    await writeFile(file, 'this is no database, and was never one; it is just long enough to be taken for one');
    expect((await look()).found['integrity']?.[0]?.message).toContain('not a database');
  });

  it('whose rows refer to nothing is found by --deep', async () => {
    await remember('I like tea');
    damage("INSERT INTO entry_versions VALUES (4711, 1, '{}', 0)");
    expect((await look()).amiss).toEqual([]);
    expect((await look(['--deep'])).found['integrity']?.[0]?.message).toContain(
      'entry_versions refer to rows of entries',
    );
  });
});

describe('indexes', () => {
  it('that lack vectors are found with their counts, and filled with --fix', async () => {
    await remember('I like tea', 'I like coffee', 'I like milk');
    damage('DELETE FROM embeddings WHERE seq <= 2');
    const { found, amiss } = await look();
    expect(amiss).toEqual(['index-drift']);
    expect(found['index-drift']).toMatchObject([
      {
        state: 'problem',
        message: expect.stringContaining(`2 of 3 memories of tenant ${NIL_TENANT} have no vector of openai:hash-64`),
        fix: 'lamina reindex --model hash-64',
        repairable: true,
      },
    ]);
    const fixed = await callCli(['doctor', '--fix', '--yes', '--database', `sqlite:${folder}`], {
      environment: environment(),
    });
    expect({ code: fixed.code, told: fixed.stdout.includes('Put right: 2 memories were given a vector.') }).toEqual({
      code: 0,
      told: true,
    });
    expect((await look()).amiss).toEqual([]);
  });

  it('that lack words, or have what is gone, are found', async () => {
    await remember('I like tea', 'I like coffee');
    damage(`
      INSERT INTO entry_text (entry_text) VALUES ('delete-all');
      INSERT INTO embeddings SELECT space_id, partition_id, 4711, vector FROM embeddings LIMIT 1`);
    const { found } = await look();
    expect(found['index-drift']?.map(({ state, message }) => [state, message])).toEqual([
      ['problem', expect.stringContaining('2 of 2 memories')],
      ['warning', expect.stringContaining('1 vectors and words of 0 memories')],
    ]);
  });

  it('of another model than the configured one are found, until the database decides', async () => {
    await remember('I like tea');
    const other = { LAMINA_EMBEDDING_MODEL: 'hash-128' };
    const wrong = await look([], other);
    expect(wrong.found['embedding-space']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('vectors of openai:hash-64 (64 dimensions)'),
    });
    const change = ['--database-url', `sqlite:${folder}`];
    for (const line of [
      ['reindex', '--model', 'hash-128'],
      ['reindex', 'cut-over'],
    ]) {
      expect((await callCli([...line, ...change], { environment: environment() })).code).toBe(0);
    }
    const { code, found } = await look();
    expect(code).toBe(0);
    expect(found['embedding-space']?.map(({ message }) => message)).toEqual([
      expect.stringContaining('The database uses openai:hash-128'),
      expect.stringContaining('is being changed (cut over)'),
    ]);
    expect(found['index-drift']?.[0]?.message).toContain('openai:hash-128');
  });
});

describe('models', () => {
  it('that do not answer are found', async () => {
    await remember('I like tea');
    const { found } = await look([], { LAMINA_EMBEDDING_MODEL: 'nothing' });
    expect(found['model']?.[0]).toMatchObject({ state: 'problem', message: expect.stringContaining('cannot be used') });
  });
});

describe('the configuration', () => {
  it('with mistakes gives a finding for each, without what is secret', async () => {
    const { code, found, text } = await look([], {
      LAMINA_HOST: '0.0.0.0',
      LAMINA_PROT: '1',
      LAMINA_JWT_SECRET: 'shh',
      LAMINA_REDIS_FALLBACK: 'database',
    });
    expect(code).toBe(1);
    expect(found['configuration']?.map(({ message }) => message)).toEqual([
      expect.stringContaining('LAMINA_PROT is not a known variable'),
      expect.stringContaining('LAMINA_JWT_SECRET'),
      expect.stringContaining('without authentication'),
      expect.stringContaining('LAMINA_REDIS_URL is not set'),
    ]);
    expect(text).not.toContain('shh');
  });

  it('that names what does not answer gives findings without passwords', async () => {
    const { found, text, code } = await examine(['--database', 'postgres://ada:hush-hush@127.0.0.1:1/memory'], {
      ...environment(),
      LAMINA_REDIS_URL: 'redis://:hush-hush@127.0.0.1:1',
      LAMINA_QDRANT_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(found['database']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('ada@127.0.0.1:1/memory'),
    });
    expect(found['redis']?.[0]).toMatchObject({ state: 'problem' });
    expect(found['qdrant']?.[0]).toMatchObject({ state: 'warning' });
    expect(Object.keys(found)).not.toContain('schema');
    expect(text).not.toContain('hush-hush');
  });
});

describe('what a machine and its neighbours say', () => {
  it('is judged', () => {
    expect([nodeFinding('20.20.2').state, nodeFinding('24.1.0').state]).toEqual(['problem', 'ok']);
    expect([memoryFinding(5e8, 1).state, memoryFinding(4e9, 1).state]).toEqual(['warning', 'ok']);
    expect([0, 5000, -90_000].map((skew) => skewFinding(skew, 'x').state)).toEqual(['ok', 'warning', 'problem']);
    const redis =
      'redis_version:7.4.0\r\nrole:master\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n';
    expect(redisFindings(redis).map(({ state }) => state)).toEqual(['problem', 'warning']);
  });

  it('is no reason to stop: a check that fails or hangs is a finding', async () => {
    const check = { group: 'Machine', looksAt: 'Nothing' } as const;
    const reports = await runChecks(
      [
        { ...check, name: 'fails', run: () => Promise.reject(new Error('postgres://a:secret@b broke')) },
        { ...check, name: 'hangs', run: () => new Promise(() => {}) },
        { ...check, name: 'works', run: async () => [{ state: 'ok', message: 'Well.' }] },
      ],
      undefined,
      { signal: new AbortController().signal, limitMs: 50 },
    );
    expect(reports.map(({ findings }) => findings[0]?.state)).toEqual(['problem', 'problem', 'ok']);
    expect(JSON.stringify(reports)).not.toContain('secret');
  });
});

describe('a service', () => {
  it('is looked at from outside', async () => {
    const opened = await openLamina();
    const served = await serveLamina(opened.lamina);
    onTestFinished(async () => {
      await served.close();
      await opened.close();
    });
    const { code, found } = await examine(['--url', served.url]);
    expect(code).toBe(0);
    expect(Object.keys(found)).toEqual(['health', 'version', 'authentication', 'clock-skew']);
    const silent = await examine(['--url', 'http://127.0.0.1:1']);
    expect(silent.found['health']?.[0]).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('no answer'),
    });
  });

  it('is missed where something else answers', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect((await examine(['--url', `http://127.0.0.1:${port}`])).found['health']?.[0]?.message).toContain(
      'is no Lamina',
    );
    const { found } = await look([], { LAMINA_PORT: String(port) });
    expect(found['service']?.[0]).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('Something else'),
    });
  });
});

it('the documentation lists every check, as the table has it', () => {
  const page = readFileSync('docs/doctor.md', 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, name, looksAt]) => ({ name, looksAt }));
  expect(listed).toEqual(CHECK_LIST.map(({ name, looksAt }) => ({ name, looksAt })));
  expect(new Set(CHECK_LIST.map(({ name }) => name)).size).toBe(CHECK_LIST.length);
});
