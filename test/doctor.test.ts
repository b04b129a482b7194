/** `lamina doctor` on data that is broken on purpose: each check finds what it is for, and touches nothing. */

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { spaceFinding } from '../src/compose/doctor/folder-checks.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { callCli } from './cli-caller.ts';
import { examine, type Examined } from './doctor-caller.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
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

describe('what somebody did beside Lamina', () => {
  it('to a text is found by --deep', async () => {
    await remember('I like tea', 'I like coffee');
    damage("UPDATE entries SET content = 'I like beer' WHERE seq = 1");
    expect((await look()).amiss).toEqual([]);
    const { found } = await look(['--deep']);
    expect(found['contents']).toMatchObject([{ state: 'problem', message: expect.stringContaining('were altered') }]);
  });

  it('to the clock is found by the times of the files', async () => {
    await remember('I like tea');
    const later = new Date(Date.now() + 3_600_000);
    await utimes(file, later, later);
    expect((await look()).found['clock']).toMatchObject([
      { state: 'warning', message: expect.stringContaining('the clock was put back') },
    ]);
  });

  it('to maintenance, so that it failed, is found', async () => {
    await remember('I like tea');
    damage(`
      INSERT INTO maintenance_runs (run_id, job, status, trigger, dry_run, started_at, counts, changes, progress, version, created_at, updated_at)
      VALUES ('r', 'decay', 'failed', 'schedule', 0, ${Date.now()}, '{}', '[]', '{}', 1, 0, 0)`);
    expect((await look()).found['maintenance']?.[0]?.message).toContain('1 run of maintenance failed');
  });

  it('to keys, which was to let them expire, is found', async () => {
    await remember('I like tea');
    damage("INSERT INTO api_keys VALUES ('k', 'ci', 'ada', NULL, '[]', 'x', 1, NULL, NULL, 1, 0, 0)");
    expect((await look()).found['keys']).toMatchObject([{ state: 'warning', message: '1 API key has expired.' }]);
  });
});

describe('a folder in use', () => {
  it('is looked at beside who uses and leads it', async () => {
    await remember('I like tea');
    const engine = new SqliteEngine({ folder, clock: systemClock });
    const embedder = new HashEmbedder();
    const lamina = await Lamina.open({ engine, embedder });
    onTestFinished(() => lamina.close());
    expect((await look()).found['leader']?.[0]?.message).toContain('No service runs');
    const { promise: isLeading, resolve } = Promise.withResolvers<void>();
    engine.leadership.campaign(async (signal) => {
      resolve();
      await once(signal, 'abort');
    });
    await isLeading;
    await lamina.as({ userId: 'ada' }).list({ layer: 'user' });
    const { amiss, found } = await look(['--deep']);
    expect(amiss).toEqual([]);
    expect(found['leader']?.[0]?.message).toContain('A service leads');
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
        fix: `lamina reindex --model hash-64 --database sqlite:${folder}`,
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
    const begun = ['reindex', '--model', 'hash-128', '--database', `sqlite:${folder}`];
    expect((await callCli(begun, { environment: environment() })).code).toBe(0);
    const { code, found } = await look([], other);
    expect(code).toBe(0);
    expect(found['embedding-space']?.map(({ message }) => message)).toEqual([
      expect.stringContaining('The database uses openai:hash-64'),
      expect.stringContaining('is being changed (filling)'),
    ]);
    expect(found['index-drift']?.[0]?.message).toContain('openai:hash-64');
  });
});
