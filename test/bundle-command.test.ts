/** `lamina export` and `lamina import`: on a folder and over a service, by file and by pipe. */

import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli, type CalledCli } from './cli-caller.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '0a000000-0000-4000-8000-000000000001';

let folder: string;
let embeddings: EmbeddingServer;
beforeAll(async () => {
  [folder, embeddings] = await Promise.all([makeFolder(), startEmbeddingServer()]);
  await answered(['add', 'alice drinks tea', '--user', 'alice', '--database', database('source')]);
  await answered(['keys', 'create', 'robot', '--user', 'alice', '--database', database('source')]);
});
afterAll(async () => {
  embeddings.close();
  await removeFolder(folder);
});

const database = (name: string): string => `sqlite:${join(folder, name)}`;
const call = (args: readonly string[], stdin?: string): Promise<CalledCli> =>
  callCli(args, { environment: embeddings.environment, ...(stdin !== undefined && { stdin }) });

async function answered(args: readonly string[], stdin?: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await call([...args, '--json'], stdin);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function contentsIn(name: string, ...flags: readonly string[]): Promise<string[]> {
  const { stdout } = await call(['search', 'tea', '--database', database(name), '--json', ...flags]);
  const { results } = JSON.parse(stdout) as { results: { memory: { content: string } }[] };
  return results.map(({ memory }) => memory.content);
}

describe('export and import of a folder', () => {
  it('writes a file that only its owner reads, and brings it back', async () => {
    const file = join(folder, 'whole.jsonl.gz');
    const told = await answered(['export', file, '--database', database('source')]);
    expect(told).toMatchObject({ file, counts: { entries: 1 } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
    const text = gunzipSync(await readFile(file)).toString();
    expect(text).not.toContain('secretHash');
    expect(await answered(['import', file, '--check'])).toMatchObject({ counts: { entries: 1 }, vectors: true });
    const to = ['--database', database('target')];
    expect(await answered(['import', file, ...to])).toMatchObject({ added: { entries: 1 } });
    expect(await answered(['import', file, ...to])).toMatchObject({ added: { entries: 0 } });
    expect(await contentsIn('target', '--user', 'alice')).toEqual(['alice drinks tea']);
  });

  it('pipes, without vectors, to another tenant and another user', async () => {
    const { stdout, stderr, code } = await call(['export', '-', '--no-vectors', '--database', database('source')]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Exported tenant') });
    const flags = ['--tenant', TENANT, '--database', database('piped')];
    const report = await answered(['import', '-', '--map-user', 'alice=bob', ...flags], stdout);
    expect(report).toMatchObject({ tenantId: TENANT, added: { entries: 1 }, embedded: 1 });
    expect(await contentsIn('piped', '--tenant', TENANT, '--user', 'bob')).toEqual(['alice drinks tea']);
    expect(await contentsIn('piped', '--tenant', TENANT, '--user', 'alice')).toEqual([]);
  });

  it('carries keys where asked to, which open no other tenant', async () => {
    const file = join(folder, 'keys.jsonl');
    await answered(['export', file, '--with-keys', '--database', database('source')]);
    expect(await answered(['import', file, '--database', database('keys')])).toMatchObject({ added: { apiKeys: 1 } });
    const other = ['--tenant', TENANT, '--database', database('keys')];
    expect(await answered(['import', file, ...other])).toMatchObject({ leftOut: { apiKeys: 1 } });
  });

  it('refuses what is broken before anything is written', async () => {
    const file = join(folder, 'broken.jsonl');
    await answered(['export', file, '--database', database('source')]);
    await writeFile(file, (await readFile(file, 'utf8')).replace('drinks', 'hates'));
    const { code, stderr } = await call(['import', file, '--database', database('unharmed')]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/line \d+ has another checksum/) });
    expect(await readdir(folder)).not.toContain('unharmed');
    for (const [args, problem] of [
      [['import', join(folder, 'nothing')], /cannot be read/],
      [['export', join(folder, 'x'), '--database', database('nothing')], /does not exist/],
      [['export', join(folder, 'x'), '--tenant', TENANT, '--database', database('source')], /nothing of tenant/],
      [['import', file, '--map-user', 'alice'], /OLD=NEW/],
      [['import', file, '--map-id', 'userId:a=b'], /NAME is agentId/],
      [['import', file, '--map-layer', 'user=team'], /needs teamId/],
    ] as const) {
      const refused = await call(args);
      expect(refused.code, refused.stderr).not.toBe(0);
      expect(refused.stderr).toMatch(problem);
    }
  });
});

describe('what is told of bundles', () => {
  it('is that a file is there already, which stays as it is without --force', async () => {
    const file = join(folder, 'twice.jsonl');
    await writeFile(file, 'precious');
    const args = ['export', file, '--database', database('source')];
    expect(await call(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/not overwritten.*--force/) });
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await call([...args, '--force'])).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toContain('lamina');
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('names where it went, who is not in it, and what to do next', async () => {
    const file = join(folder, 'told.jsonl');
    const exported = await call(['export', file, '--database', database('source')]);
    expect(exported.stdout).toContain(` of ${database('source')} to ${file}.`);
    const flags = ['--map-user', 'nobody=x', '--map-user', 'alice=bob', '--database', database('told')];
    const imported = await call(['import', file, ...flags]);
    expect(imported.stdout).toContain(` of ${database('told')}.`);
    const note = 'Note: --map-user: nobody in the bundle is called "nobody".\n';
    expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
    expect((await call(['import', file, '--check', ...flags])).stderr).toContain(note);
    const lost = await call(['export', join(folder, 'nodir', 'x.jsonl'), '--database', database('source')]);
    expect(lost).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be written.*\nIts folder has to be there/),
    });
    await writeFile(join(folder, 'notes.txt'), 'Something else\n');
    const other = await call(['import', join(folder, 'notes.txt'), '--database', database('told')]);
    expect(other.stderr).toMatch(/This is no bundle of Lamina.*--from/);
  });

  it('is the same text after an import, down to the checksums', async () => {
    const [first, second] = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')];
    const fields = ['--metadata', '{"b":1,"a":2}', '--external-id', 'tea', '--user', 'zoe'];
    for (const text of ['zoe drinks tea', 'zoe drinks coffee']) {
      await answered(['add', text, ...fields, '--database', database('versions')]);
    }
    await answered(['export', first, '--database', database('versions')]);
    await answered(['import', first, '--database', database('versions-again')]);
    await answered(['export', second, '--database', database('versions-again')]);
    const linesOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8')).split('\n').slice(1, -2);
    expect((await linesOf(first)).join()).toContain('"end":"versions","count":1');
    expect(await linesOf(second)).toEqual(await linesOf(first));
  });
});

it('goes from one service to another', async () => {
  const [source, target] = [untilTestEnds(await openLamina()), untilTestEnds(await openLamina())];
  await source.lamina.as({ userId: 'alice' }).add({ content: 'alice drinks tea', layer: 'user' });
  const [from, to] = [untilTestEnds(await serveLamina(source.lamina)), untilTestEnds(await serveLamina(target.lamina))];
  const file = join(folder, 'served.jsonl');
  expect(await answered(['export', file, '--url', from.url])).toMatchObject({ counts: { entries: 1 } });
  const flags = ['--url', to.url, '--tenant', TENANT];
  expect(await answered(['import', file, ...flags])).toMatchObject({ tenantId: TENANT, added: { entries: 1 } });
  const { memories } = await target.lamina.as({ userId: 'alice', tenantId: TENANT }).list({ layer: 'user' });
  expect(memories.map(({ content }) => content)).toEqual(['alice drinks tea']);
  const refused = await call(['export', file, '--with-keys', '--url', from.url]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('needs the database') });
});
