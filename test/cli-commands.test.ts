/** Every command that touches memory, on a folder and over a service: what it does and what it prints. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Stopped } from '../src/cli/terminal/stop-signal.ts';
import type { Entry } from '../src/domain/entry.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { callCli, type CalledCli } from './cli-caller.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { startIdentityService, token } from './identity-service.ts';
import { openLamina, serveLamina, type OpenLamina, type ServedLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const NOBODY = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

let embeddings: EmbeddingServer;
let folder: string;
let opened: OpenLamina;
let served: ServedLamina;

beforeAll(async () => {
  [embeddings, folder, opened] = await Promise.all([startEmbeddingServer(), makeFolder(), openLamina()]);
  served = await serveLamina(opened.lamina);
});

afterAll(async () => {
  embeddings.close();
  await served.close();
  await opened.close();
  await removeFolder(folder);
});

describe.each(['a folder', 'a service'] as const)('on %s', (where) => {
  const here = (): string[] => (where === 'a folder' ? ['--database', `sqlite:${folder}`] : ['--url', served.url]);
  const lamina = (args: readonly string[], options: Parameters<typeof callCli>[1] = {}): Promise<CalledCli> =>
    callCli([...args, ...here()], { environment: embeddings.environment, ...options });

  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await lamina([...args, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  }

  async function added(text: string, ...flags: string[]): Promise<Entry> {
    return (await json<{ memory: Entry }>('add', text, ...flags)).memory;
  }

  async function listed(...flags: string[]): Promise<Entry[]> {
    const { code, stdout } = await lamina(['list', '--json', ...flags]);
    expect(code).toBe(0);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry);
  }

  it('adds with everything that can be said, and says what happened', async () => {
    const fields = ['--tag', 'a', '--tag', 'b', '--importance', '0.8', '--metadata', '{"topic":"drinks"}'];
    const memory = await added('Ada drinks tea', '--user', 'ada', ...fields, '--sensitivity', 'public');
    expect(memory).toMatchObject({
      content: 'Ada drinks tea',
      layer: 'user',
      tags: ['a', 'b'],
      importance: 0.8,
      metadata: { topic: 'drinks' },
      sensitivity: 'public',
    });
    const again = await lamina(['add', 'Ada drinks tea', '--user', 'ada']);
    expect(again.stdout).toBe(`Known already: ${memory.id} in user\n`);
    const typed = await lamina(['add', '-', '--user', 'ada', '--project', 'apollo'], { stdin: 'Two\nlines\n' });
    expect(typed.stdout).toMatch(/^Remembered [0-9a-f-]{36} in project\n$/);
  });

  it('lists by what is asked for, a memory a line, and says where there is more', async () => {
    for (const name of ['one', 'two', 'three']) await added(`Lisa counts ${name}`, '--user', 'lisa', '--tag', name);
    const user = ['--user', 'lisa'];
    expect((await listed(...user)).map(({ content }) => content)).toEqual([
      'Lisa counts three',
      'Lisa counts two',
      'Lisa counts one',
    ]);
    expect(await listed(...user, '--tag', 'two', '--tag', 'one')).toHaveLength(2);
    expect(await listed(...user, '--kind', 'episodic')).toEqual([]);
    const first = await lamina(['list', ...user, '--limit', '2']);
    expect(first.stdout).toMatch(/^ID +WHEN +KIND +TAGS +CONTENT\n/);
    expect(first.stdout).toMatch(/just now +semantic +three +Lisa counts three\n/);
    const [, cursor = ''] = /2 of 3\. The rest: --all, or --cursor (\S+)\n$/.exec(first.stdout) ?? [];
    expect((await listed(...user, '--cursor', cursor)).map(({ tags }) => tags)).toEqual([['one']]);
    expect((await lamina(['list', ...user, '--cursor', 'x'])).stderr).toMatch(/--cursor: is broken; .+ before\.\n$/);
    const name = where === 'a folder' ? `sqlite:${folder}` : served.url;
    expect((await lamina(['list', '--user', 'nobody'])).stdout).toBe(`Nothing there, in ${name}.\n`);
  });

  it('finds only what is asked for', async () => {
    // What is the company's would be found by the other tests, too.
    const gus = ['--user', 'gus', '--tenant', NOBODY];
    const hits = async (...flags: string[]): Promise<string[]> => {
      const asked = ['harbour', ...gus, '--mode', 'keyword', '--threshold', '0', ...flags];
      const { results } = await json<{ results: { memory: Entry }[] }>('search', ...asked);
      return results.map(({ memory }) => memory.content).toSorted();
    };
    const note = await added('Harbour note', ...gus, '--tag', 'sea', '--metadata', '{"topic":"boats"}');
    await added('Harbour visit', ...gus, '--kind', 'episodic');
    await added('Harbour rule', ...gus, '--layer', 'company');
    await added('Harbour plan', ...gus, '--project', 'pier');
    expect(await hits('--tag', 'sea')).toEqual([note.content]);
    expect(await hits('--metadata', '{"topic":"boats"}')).toEqual([note.content]);
    expect(await hits('--kind', 'episodic')).toEqual(['Harbour visit']);
    expect(await hits('--as-of', '1d')).toEqual([]);
    expect(await hits()).toEqual(['Harbour note', 'Harbour rule', 'Harbour visit']);
    expect(await hits('--project', 'pier')).toEqual(['Harbour note', 'Harbour plan', 'Harbour rule', 'Harbour visit']);
  });

  it('finds, and shows what one has', async () => {
    const { id } = await added('The ferry leaves at noon', '--user', 'finn', '--external-id', 'ferry');
    const found = await lamina(['search', 'ferry', '--user', 'finn', '--mode', 'keyword', '--threshold', '0.2']);
    expect(found.stdout).toContain(`user  ${id}\n     The ferry leaves at noon`);
    const shown = await lamina(['show', id, '--user', 'finn']);
    expect(shown.stdout).toMatch(/^The ferry leaves at noon\n\n/);
    expect(shown.stdout).toMatch(/externalId +ferry\n/);
    expect(shown.stdout).toMatch(/createdAt +just now \(\d{4}-/);
    expect(await json<Entry>('show', id, '--user', 'finn')).toMatchObject({ id, externalId: 'ferry' });
    for (const command of ['show', 'history']) {
      const missing = await lamina([command, NOBODY]);
      expect(missing).toMatchObject({ code: 1, stdout: '' });
      expect(missing.stderr).toMatch(/^MEMORY_NOT_FOUND: .*\nCheck the id; /);
    }
    const other = await lamina(['show', id, '--user', 'mallory', '--json']);
    expect(JSON.parse(other.stderr)).toMatchObject({ code: 'MEMORY_NOT_FOUND', retryable: false });
  });

  it('shows what versions changed, word by word', async () => {
    const flags = ['--user', 'hugo', '--external-id', 'drink'];
    const { id } = await added('Hugo likes black coffee in the morning', ...flags);
    await added('Hugo likes green tea in the morning', ...flags, '--tag', 'new');
    const { stdout } = await lamina(['history', id, '--user', 'hugo']);
    expect(stdout).toContain('Hugo likes [-black coffee-]{+green tea+} in the morning');
    expect(stdout).toContain('tags: [] → ["new"]');
    expect(stdout).toMatch(/Version 1 .*\nHugo likes black coffee/);
    const coloured = await lamina(['history', id, '--user', 'hugo'], {
      environment: { ...embeddings.environment, FORCE_COLOR: '1' },
    });
    expect(coloured.stdout).toContain('\u001B[32mgreen tea\u001B[39m');
    expect(await json<{ versions: unknown[] }>('history', id, '--user', 'hugo')).toHaveProperty('versions.length', 2);
  });

  it('forgets after showing what, and asks before', async () => {
    const user = ['--user', 'fred'];
    const { id } = await added('Fred has a cold', ...user, '--tag', 'health');
    for (let index = 0; index < 12; index += 1) await added(`Fred drafts ${index}`, ...user, '--tag', 'draft');
    const dry = await lamina(['forget', '--tag', 'draft', '--dry-run', ...user]);
    expect(dry).toMatchObject({ code: 0, stdout: 'Would forget 12 memories.\n' });
    expect(dry.stderr).toMatch(/Fred drafts 11\n[^]*… and 2 more\n$/);
    const alone = await lamina(['forget', '--tag', 'draft', ...user]);
    expect(alone).toMatchObject({ code: 2, stdout: '' });
    expect(alone.stderr).toContain('add --yes');
    const asked = await lamina(['forget', '--tag', 'draft', ...user], { answers: 'no\n' });
    expect(asked).toMatchObject({ code: 0, stdout: 'Nothing was forgotten.\n' });
    expect(await listed(...user)).toHaveLength(13);
    const done = await lamina(['forget', '--tag', 'draft', ...user], { answers: 'yes\n' });
    expect(done.stdout).toBe('Forgot 12 memories, with what was made from them.\n');
    expect(await json('forget', id, '--yes', ...user)).toMatchObject({ deletedCount: 1, ids: [id] });
    expect(await json('forget', '--all', '--before', '0s', '--yes', ...user)).toMatchObject({ deletedCount: 0 });
    expect(await lamina(['forget', ...user])).toMatchObject({ code: 2 });
    expect(await lamina(['forget', NOBODY, '--yes', ...user])).toMatchObject({ code: 1 });
  });

  it('makes the prompt of a turn, with what went into it', async () => {
    const { id } = await added('Cleo drinks oolong tea', '--user', 'cleo');
    const args = ['context', 'What tea does Cleo drink?', '--user', 'cleo', '--threshold', '0.1'];
    const { stdout } = await lamina(args);
    expect(stdout).toMatch(
      /^\[Relevant Memory\][^]*Cleo drinks oolong tea[^]*\[User Message\]\nWhat tea does Cleo drink\?\n$/,
    );
    const explained = await lamina([...args, '--explain']);
    expect(explained.stdout).toMatch(new RegExp(`taken +memory +user +0\\.\\d{3} +\\d+ +${id}\\n`));
    expect(explained.stdout).toMatch(/1 taken, 0 left out; \d+ of 2000 tokens\.\n$/);
    expect(await json(...args)).toMatchObject({ degraded: false, receipt: { counts: { taken: 1 } } });
  });

  it('maintains: tries, runs, lists and undoes', async () => {
    const dry = await lamina(['maintain', 'expiry', 'integrity', '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^expiry would do in .*\nintegrity would do in /);
    const [run] = await json<{ runId: string }[]>('maintain', 'deduplication');
    const { stdout } = await lamina(['maintain', 'runs', '--limit', '1']);
    expect(stdout).toMatch(new RegExp(`${run?.runId} +just now +deduplication +completed`));
    expect((await lamina(['maintain', 'undo', run?.runId ?? ''])).stdout).toContain('Undid deduplication: 0 memories');
    expect((await lamina(['maintain', 'dedup'])).stderr).toContain('JOB is one of consolidation, deduplication');
  });

  it('makes, lists and revokes keys', async () => {
    const made = await json<{ key: string; keyId: string }>(
      'keys',
      'create',
      'import',
      '--user',
      'imp',
      '--role',
      'admin',
    );
    expect(made.key).toMatch(/^lam_/);
    const { stdout } = await lamina(['keys', 'list']);
    expect(stdout).toMatch(new RegExp(`${made.keyId} +valid +imp +admin +just now +– +– +import\\n`));
    expect(stdout).not.toContain(made.key);
    expect((await lamina(['keys', 'revoke', made.keyId])).stdout).toBe(`Revoked ${made.keyId}.\n`);
    expect((await lamina(['keys', 'list'])).stdout).toMatch(new RegExp(`${made.keyId} +revoked`));
    expect((await lamina(['keys', 'revoke', NOBODY])).stderr).toContain('See the ids: lamina keys list');
    expect((await lamina(['keys', 'create', 'x'])).stderr).toContain('--user is missing');
    expect((await lamina(['keys'])).stderr).toContain('Say which: create, list, revoke.');
  });

  it('counts', async () => {
    await added('Stan is counted', '--user', 'stan');
    const { stdout } = await lamina(['stats', '--user', 'stan']);
    expect(stdout).toMatch(/memor(y|ies) that you may see/);
    expect(stdout).toMatch(/user +semantic +active +1\n/);
    expect(stdout).toMatch(/new and 0 deleted in 30 days/);
    expect(await json('stats', '--of-tenant', '--days', '2')).toMatchObject({ of: 'tenant', growth: [{}, {}] });
  });

  it('knows its tenant', async () => {
    const { code, stdout } = await lamina(['tenants', 'list', '--json']);
    expect(code).toBe(0);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { tenantId: string });
    expect(rows.map(({ tenantId }) => tenantId)).toContain('00000000-0000-0000-0000-000000000000');
    expect((await lamina(['tenants', 'show'])).stdout).toMatch(/^00000000-[^]*in the tenant/);
  });

  it('erases a tenant, once its id was typed', async () => {
    const tenant = '6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11';
    await added('Gone soon', '--tenant', tenant);
    const wrong = await lamina(['tenants', 'erase', tenant], { answers: 'yes\n' });
    expect(wrong.stderr).toContain('nothing was erased');
    const right = await lamina(['tenants', 'erase', tenant], { answers: `${tenant}\n` });
    expect(right.stdout).toMatch(new RegExp(`^Erased ${tenant}: entries 1, .*\\nReceipt `));
    if (where === 'a folder') {
      expect((await lamina(['tenants', 'show', tenant])).stderr).toContain('See which there are: lamina tenants list');
    }
  });
});

/** Whom the token of a command line stands for. */
async function ownPrincipal([, ...where]: readonly string[]): Promise<{ userId: string; tenantId: string }> {
  const [, url = '', , credential = ''] = where;
  const answer = await fetch(`${url}/v1/memory/principal`, { headers: { Authorization: `Bearer ${credential}` } });
  const { user_id, tenant_id } = (await answer.json()) as { user_id: string; tenant_id: string };
  return { userId: user_id, tenantId: tenant_id };
}

describe('where no database is named', () => {
  const before = process.cwd();
  let here: string;
  const call = (...args: string[]): Promise<CalledCli> => callCli(args, { environment: embeddings.environment });

  beforeEach(async () => {
    here = await makeFolder();
    process.chdir(here);
    vi.stubEnv('HOME', join(here, 'home'));
  });
  afterEach(async () => {
    process.chdir(before);
    vi.unstubAllEnvs();
    await removeFolder(here);
  });

  it('is the folder of the home, until there is one of a service here: for every command', async () => {
    const home = join(here, 'home', '.lamina');
    expect(await call('list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Nothing is remembered yet in ${home}. Begin with: lamina add TEXT\n`,
    });
    expect((await call('list', '--json')).stderr).toContain('NOT_FOUND');
    expect(await readdir(here)).toEqual([]);
    await call('add', 'At home');
    expect((await call('stats')).stdout).toMatch(new RegExp(`^sqlite:${home}\n1 memory`));
    expect((await call('maintain', 'expiry')).code).toBe(0);
    expect(await readdir(here)).toEqual(['home']);
    await call('add', 'Here', '--database', 'sqlite:lamina-data');
    expect((await call('list')).stdout).toMatch(/Here[^]*1 of 1/);
    expect((await call('search', 'zebra', '--mode', 'keyword')).stdout).toContain(
      `Nothing found for the user "local" in sqlite:${join(here, 'lamina-data')}. A lower --threshold`,
    );
    expect((await call('search', 'here', '--user', 'nobody')).stdout).toContain(
      `Nothing found in sqlite:${join(here, 'lamina-data')}: the user "nobody" has no memories there.`,
    );
    expect((await call('tenants', 'list')).stdout).toContain('00000000-');
  });

  it.each([
    'list',
    'search tea',
    `show ${NOBODY}`,
    `history ${NOBODY}`,
    'stats',
    'export x.jsonl',
    'keys list',
    'tenants list',
    'tenants show',
    'maintain expiry',
    'maintain runs',
    'forget --all --yes',
    'context tea',
    'reindex status',
  ])('lamina %s makes no folder', async (line) => {
    const { code, stdout, stderr } = await call(...line.split(' '), '--database', 'sqlite:none');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^NOT_FOUND: .*the folder ".*\/none" does not exist\.\nCheck --database/);
    expect(await readdir(here)).toEqual([]);
  });
});

it.each([
  ['list --limit -1', '--limit accepts a whole number from 1.'],
  ['search tea --limit -1', '--limit accepts a whole number from 1.'],
  ['list --user=', '--user accepts a name of 1 to 100 characters.'],
  ['list --tenant me', '--tenant accepts a UUID.'],
  ['list --url notaurl', '--url accepts an address with http:// or https://'],
  ['export - --url notaurl', '--url accepts an address with http:// or https://'],
  ['add tea --importance 7', '--importance: '],
  ['add tea --layer project', 'MISSING_IDENTIFIER: The project layer needs --project ID.'],
  ['list --layer team', 'MISSING_IDENTIFIER: The team layer needs --team ID.'],
])('lamina %s names the flag', async (line, problem) => {
  const where = line.includes('--url') ? [] : ['--database', `sqlite:${folder}`];
  const { code, stderr } = await callCli([...line.split(' '), ...where], { environment: embeddings.environment });
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

it('says of a file that is damaged how to look at it, and how to bring it back', async () => {
  const damaged = await makeFolder();
  try {
    await mkdir(join(damaged, 'tenants'));
    await writeFile(join(damaged, 'tenants', `${NIL_TENANT}.db`), 'no database at all '.repeat(500));
    const { code, stderr } = await callCli(['list', '--database', `sqlite:${damaged}`]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^PROVIDER_ERROR: A file of the database is damaged, or is no SQLite file \(SQLITE_NOTADB\)/,
    );
    expect(stderr).toContain('lamina doctor --deep');
    expect(stderr).toContain('lamina restore');
    expect(stderr).not.toContain('Try again');
  } finally {
    await removeFolder(damaged);
  }
});

describe('an output that cannot be written', () => {
  it('is told in a line, and a bundle that was cut off is no success', async () => {
    const database = ['--database', `sqlite:${folder}`];
    const ended = async (reason: Error, ...args: string[]): Promise<CalledCli> => {
      const controller = new AbortController();
      return callCli([...args, ...database], { signal: controller.signal, written: () => controller.abort(reason) });
    };
    const full = new LaminaError('UNAVAILABLE', 'The output could not be written.', { advice: 'Make room.' });
    for (const args of [['list'], ['export', '-']]) {
      const { code, stderr } = await ended(full, ...args);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'UNAVAILABLE: The output could not be written.\nMake room.\n',
      });
    }
    expect(await ended(new Stopped('', 0), 'list')).toMatchObject({ code: 0, stderr: '' });
    const cut = await ended(new Stopped('', 0), 'export', '-');
    expect(cut).toMatchObject({ code: 1, stderr: 'The bundle was cut off: nobody reads the output any more.\n' });
  });
});

describe('on a service that asks who one is', () => {
  it('takes a token from the command line, a file or the environment', async () => {
    const { url } = await startIdentityService();
    const alice = await token();
    const file = join(folder, 'token');
    await writeFile(file, `${alice}\n`);
    const list = ['list', '--url', url];
    const nothing = { code: 0, stdout: `Nothing there, in ${url}.\n` };
    expect(await callCli([...list, '--token', alice])).toMatchObject(nothing);
    expect(await callCli([...list, '--token-file', file])).toMatchObject(nothing);
    expect(await callCli(list, { environment: { LAMINA_TOKEN: alice } })).toMatchObject(nothing);
    const refused = await callCli(list);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^UNAUTHORIZED: .*\nGive a token that is valid: LAMINA_TOKEN, /);
    const gone = await callCli(['list', '--url', 'http://127.0.0.1:1']);
    expect(gone.stderr).toMatch(/^UNAVAILABLE: .*\nCheck the address/);
    const both = await callCli([...list, '--token', alice, '--token-file', file]);
    expect(both.stderr).toContain('--token and --token-file exclude each other.');
    expect((await callCli([...list, '--token-file', `${file}-none`])).code).toBe(78);
    const member = await callCli(['keys', 'list', '--url', url, '--token', alice]);
    expect(member.stderr).toMatch(/^FORBIDDEN: /);
  });

  it('searches what the token opens, and what is named besides', async () => {
    const { url } = await startIdentityService();
    const service = ['--url', url, '--token', await token()];
    await callCli(['add', 'Pier of my own', ...service]);
    await callCli(['add', 'Pier of the company', '--layer', 'company', ...service]);
    await callCli(['add', 'Pier of the project', '--project', 'p', ...service]);
    const args = ['search', 'pier', '--project', 'p', '--mode', 'keyword', '--threshold', '0', '--json', ...service];
    const { stdout } = await callCli(args);
    expect(JSON.parse(stdout)).toMatchObject({ totalCount: 3, searchedLayers: ['user', 'project', 'company'] });
  });

  it('takes agents and sessions for those of whom the token stands for', async () => {
    const { url } = await startIdentityService();
    const service = ['--url', url, '--token', await token()];
    for (const place of [
      ['--agent', 'scout'],
      ['--session', 's1'],
    ]) {
      const added = await callCli(['add', 'Pier of mine', ...place, ...service]);
      expect(added).toMatchObject({ code: 0, stderr: '' });
      const [listed = ''] = (await callCli(['list', '--json', ...place, ...service])).stdout.split('\n');
      expect(JSON.parse(listed)).toMatchObject({ content: 'Pier of mine', layer: place[0]?.slice(2) });
      expect(await callCli(['context', 'The pier?', ...place, ...service])).toMatchObject({ code: 0, stderr: '' });
      const forgotten = await callCli(['forget', '--all', '--yes', ...place, ...service]);
      expect(forgotten.stdout).toBe('Forgot 1 memory, with what was made from it.\n');
    }
  });

  it('imports what names nobody as the memory of whom the token stands for', async () => {
    const { url } = await startIdentityService();
    const service = ['--url', url, '--token', await token()];
    const file = join(folder, 'mem0.json');
    await writeFile(file, JSON.stringify({ results: [{ id: '1', memory: 'Likes tea' }] }));
    expect((await callCli(['import', file, '--from', 'mem0', ...service])).code).toBe(0);
    const { userId } = await ownPrincipal(['list', ...service]);
    const listed = JSON.parse((await callCli(['list', '--json', ...service])).stdout.split('\n')[0] ?? '');
    expect(listed).toMatchObject({ content: 'Likes tea', ownerId: userId });
  });

  it('refuses to act for somebody else than the token', async () => {
    const { url } = await startIdentityService();
    const list = ['list', '--url', url, '--token', await token()];
    const { userId, tenantId } = await ownPrincipal(list);
    for (const args of [
      ['--user', userId],
      ['--tenant', tenantId.toUpperCase()],
    ]) {
      expect(await callCli([...list, ...args])).toMatchObject({ code: 0, stderr: '' });
    }
    const user = await callCli([...list, '--user', 'mallory']);
    expect(user.stderr).toContain(`The token is of user "${userId}", and acts for no other: leave --user out.`);
    const tenant = await callCli([...list, '--tenant', NOBODY]);
    expect(tenant).toMatchObject({ code: 2, stdout: '' });
    expect(tenant.stderr).toContain(`The token is of tenant "${tenantId}"`);
    const delegate = ['--url', url, '--token', await token({ roles: ['delegate'] })];
    expect((await callCli(['add', 'Pier of hers', '--user', 'ada', ...delegate])).code).toBe(0);
    expect((await callCli(['list', '--user', 'ada', ...delegate])).stdout).toContain('Pier of hers');
    expect((await callCli(['list', ...delegate])).stdout).not.toContain('Pier of hers');
    // The name that stands for nobody in particular elsewhere is a name here.
    expect((await callCli(['add', 'Quay of the local one', '--user', 'local', ...delegate])).code).toBe(0);
    expect((await callCli(['list', ...delegate])).stdout).not.toContain('Quay of the local one');
    expect((await callCli(['list', '--user', 'local', ...delegate])).stdout).toContain('Quay of the local one');
    const mcp = await callCli(['mcp', '--url', url, '--user', 'mallory'], {
      environment: { LAMINA_TOKEN: await token() },
    });
    expect(mcp).toMatchObject({ code: 2, stdout: '' });
    expect(mcp.stderr).toContain(`The token is of user "${userId}", and acts for no other: leave --user out.`);
    const out = join(folder, 'refused.jsonl');
    const exported = await callCli(['export', out, ...list.slice(1), '--user', 'mallory']);
    expect(exported.stderr).toContain('leave --user out');
  });
});
