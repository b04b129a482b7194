/** Folders of Markdown as knowledge: what is read from files, and `lamina sync-knowledge` as a process. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFrontMatter } from '../src/cli/front-matter.ts';
import { itemsOf, readKnowledgeFolder } from '../src/cli/knowledge-folder.ts';
import { readEnvironment } from '../src/compose/configuration-sources.ts';
import { DEFAULT_LIMITS } from '../src/domain/limits.ts';
import { MAX_SYNC_ITEMS } from '../src/domain/knowledge.ts';
import { callCli, type CalledCli } from './cli-caller.ts';
import { runLamina } from './lamina-process.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

describe('front matter', () => {
  it.each([
    ['title: Plain words', { title: 'Plain words' }],
    ['title: "Quoted: words" # why', { title: 'Quoted: words' }],
    ['Title: with # comment', { title: 'with' }],
    ['tags: [a, "b c", d]', { tags: ['a', 'b c', 'd'] }],
    ['tags:\n  - a\n  - b\nid: x', { tags: ['a', 'b'], id: 'x' }],
    ['empty:\nid: y', { id: 'y' }],
    ['nested:\n  key: value', {}],
  ])('reads %j', (yaml, fields) => {
    const read = readFrontMatter(`---\n${yaml}\n---\nBody`);
    expect([Object.fromEntries(read.fields), read.body]).toEqual([fields, 'Body']);
  });

  it.each(['Body', '\uFEFFBody', '---\nno end', ''])('is not there in %j', (text) => {
    expect(readFrontMatter(text)).toEqual({ fields: new Map(), body: text.replace('\uFEFF', '') });
  });

  it('may have the line ends of any machine', () => {
    const { fields, body } = readFrontMatter('\uFEFF---\r\nid: x\r\n---\r\nBody\r\n');
    expect([Object.fromEntries(fields), body]).toEqual([{ id: 'x' }, 'Body\r\n']);
  });
});

describe('a file', () => {
  it('is what its front matter says, else what its path and first heading say', () => {
    const said = '---\ntype: Policy\nid: pol-1\ntitle: Secrets\ntags: security, keys\n---\n# Other\nRotate keys.';
    expect(itemsOf('docs/a.md', said, 'spec')).toEqual([
      {
        sourceType: 'policy',
        sourceId: 'pol-1',
        title: 'Secrets',
        tags: ['security', 'keys'],
        metadata: { path: 'docs/a.md' },
        content: '# Other\nRotate keys.',
      },
    ]);
    const plain = itemsOf('docs/adr/0001-engines.md', '# Engines #\nUse two.', 'spec');
    expect(plain).toMatchObject([{ sourceType: 'adr', sourceId: 'docs/adr/0001-engines', title: 'Engines', tags: [] }]);
    const types = ['decisions/x.md', 'policies/x.md', 'patterns/x.md', 'specs/x.md', 'spec-a/adr-1.md', 'x.md'];
    expect(types.map((path) => itemsOf(path, 'x', 'pattern')[0]?.sourceType)).toEqual([
      'adr',
      'policy',
      'pattern',
      'spec',
      'adr',
      'pattern',
    ]);
    expect(itemsOf('x.md', '---\nid: x\n---\n  \n', 'spec')).toEqual([]);
  });

  it('that is too long becomes several, and nothing is lost', () => {
    const sections = Array.from({ length: 40 }, (_, n) => `# Section ${n}\n\n${'word '.repeat(400)}end ${n}.`);
    const items = itemsOf('long.md', sections.join('\n\n'), 'spec');
    expect(items.length).toBeGreaterThan(1);
    expect(items.map(({ sourceId }) => sourceId).slice(0, 2)).toEqual(['long', 'long#2']);
    for (const { content } of items) {
      expect(content.length).toBeLessThanOrEqual(DEFAULT_LIMITS.contentLength);
      expect(content).toMatch(/^# Section/);
    }
    expect(items.map(({ content }) => content).join('\n\n')).toBe(sections.join('\n\n'));
    const unbroken = itemsOf('x.md', '😀'.repeat(40_000), 'spec');
    expect(unbroken.map(({ content }) => content).join('')).toBe('😀'.repeat(40_000));
    for (const { content } of unbroken) expect(content.isWellFormed()).toBe(true);
  });
});

it('a folder is read in order, without what is hidden; one without Markdown is refused', async () => {
  const folder = await folderWith({
    'b.md': 'B',
    'a/c.markdown': 'C',
    '.hidden/x.md': 'X',
    'node_modules/y.md': 'Y',
    'notes.txt': 'N',
    'empty.md': '\n',
  });
  const { items, empty } = await readKnowledgeFolder(folder, 'spec');
  expect(items.map(({ sourceId }) => sourceId)).toEqual(['a/c', 'b']);
  expect(empty).toEqual(['empty.md']);
  await expect(readKnowledgeFolder(join(folder, '.hidden', 'none'), 'spec')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await rm(join(folder, 'a'), { recursive: true });
  for (const path of ['b.md', 'empty.md']) await rm(join(folder, path));
  await expect(readKnowledgeFolder(folder, 'spec')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('a sync has a limit', async () => {
  const { root } = untilTestEnds(await openLamina());
  const items = Array.from({ length: MAX_SYNC_ITEMS + 1 }, (_, n) => ({
    sourceType: 'spec' as const,
    sourceId: String(n),
    content: 'x',
  }));
  const call = root.knowledge.sync({ set: 's', layer: 'company', items });
  await expect(call).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: MAX_SYNC_ITEMS } });
  const reserved = { sourceType: 'spec', sourceId: '1', content: 'x', metadata: { 'knowledge.set': 'y' } } as const;
  const refused = root.knowledge.sync({ set: 's', layer: 'company', items: [reserved] });
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(root.knowledge.sync({ set: 's', items: [] })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

it('what begins with knowledge. in metadata is for the sync alone to write', async () => {
  const { lamina, root } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'u' });
  const item = { sourceType: 'spec', sourceId: '1', content: 'Speak HTTP.' } as const;
  const { items } = await memory.knowledge.sync({ set: 's', layer: 'company', items: [item] });
  const id = items[0]?.id ?? '';
  const metadata = { 'knowledge.set': 'other' };
  const place = { content: 'x', metadata };
  const writes = [
    memory.add({ ...place, layer: 'user' }),
    memory.addMany([{ ...place, layer: 'user' }]),
    memory.update({ id, metadata }),
    memory.semantic.store(place),
    memory.semantic.upsert(place),
    root.openspec.create({ entry: { content: 'x', metadata: { custom: metadata } } }),
    root.openspec.update({ id, entry: { metadata: { custom: metadata } } }),
  ];
  for (const write of await Promise.allSettled(writes)) {
    expect(write).toMatchObject({ status: 'rejected', reason: { code: 'VALIDATION_FAILED' } });
    expect(write).toMatchObject({ reason: { message: expect.stringMatching(/knowledge\..*Lamina's own to write/) } });
  }
  // The protocol sends entries back as they came.
  const { metadata: shown } = await root.openspec.metadata({ id });
  const custom = { ...shown.custom, own: 1 };
  expect(custom).toMatchObject({ 'knowledge.set': 's', 'knowledge.status': 'current' });
  const changed = await root.openspec.update({ id, entry: { metadata: { custom } } });
  expect(changed.entry.metadata.custom).toEqual(custom);
});

const sync = (...args: string[]): Promise<CalledCli> => callCli(['sync-knowledge', ...args]);

describe('lamina sync-knowledge', () => {
  it('brings a service in line with a folder, once', { timeout: 60_000 }, async () => {
    const folder = await folderWith({ 'adr/1.md': '# One\nUse PostgreSQL.', 'specs/2.md': '# Two\nSpeak HTTP.' });
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const flags = ['--url', url, '--set', 'docs', '--project', 'p', '--user', 'ada'];
    const first = await runLamina(['sync-knowledge', folder, ...flags]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /created +adr +adr\/1\n.*created +spec +specs\/2\n.*2 created, 0 updated, 0 unchanged/s,
    );
    const memory = lamina.as({ userId: 'somebody else' });
    const place = { layer: 'project', identifiers: { projectId: 'p' } } as const;
    const { memories } = await memory.list({ ...place, filter: { hasKnowledgePointer: true } });
    expect(memories.map(({ knowledgePointer }) => knowledgePointer?.sourceType ?? '').toSorted()).toEqual([
      'adr',
      'spec',
    ]);
    expect((await sync(folder, ...flags)).stdout).toBe(
      'Synced "docs": 0 created, 0 updated, 2 unchanged, 0 orphaned.\n',
    );
    await rm(join(folder, 'adr/1.md'));
    const dry = await sync(folder, ...flags, '--dry-run');
    expect(dry.stdout).toContain('Would sync "docs": 0 created, 0 updated, 1 unchanged, 1 orphaned.');
    expect((await sync(folder, ...flags, '--archive-orphans')).stdout).toContain('orphaned  adr      adr/1');
    expect((await memory.list(place)).memories.map(({ content }) => content)).toEqual(['# Two\nSpeak HTTP.']);
  });

  it('opens a database too, and says which files it left out', async () => {
    const folder = await folderWith({ 'docs/a.md': 'Something.', 'docs/b.md': '' });
    const ended = await sync(join(folder, 'docs'), '--database', `sqlite:${join(folder, 'data')}`, '--dry-run');
    expect(ended).toEqual({
      code: 0,
      stdout: '  created   spec     a\nWould sync "docs": 1 created, 0 updated, 0 unchanged, 0 orphaned.\n',
      stderr: 'Nothing in b.md: left out.\n',
    });
  });

  it.each([
    ['Some\0thing.', 'docs/b.md (content): contains a NUL character.'],
    [`---\nid: ${'x'.repeat(256)}\n---\nSomething.`, 'docs/b.md (sourceId): Too big'],
    ['---\nid: docs/a\n---\nSomething else.', 'docs/b.md: the same sourceType and sourceId'],
  ])('names the file that is bad: %#', async (text, complaint) => {
    const folder = await folderWith({ 'docs/a.md': 'Something.', 'docs/b.md': text });
    const ended = await sync(folder, '--database', `sqlite:${join(folder, '.data')}`);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(complaint);
    expect(ended.stderr).toContain('Nothing was written.');
  });

  it('has its token in a variable that is no mistake to a service beside it', () => {
    expect(readEnvironment({ LAMINA_TOKEN: 'lam_x' }).problems).toEqual([]);
    expect(readEnvironment({ LAMINA_TOKENS: 'lam_x' }).problems).toHaveLength(1);
  });

  it.each([
    [[], 2, 'FOLDER is missing: the folder of Markdown.'],
    [['x', '--layer', 'galaxy'], 2, '--layer accepts agent, user'],
    [['x', '--type', 'poem'], 2, '--type accepts adr'],
    [['x', '--url', 'http://a', '--database', 'sqlite:b'], 2, 'exclude each other'],
    [['x', '--tenant', 'acme'], 2, '--tenant accepts a UUID'],
    [['x', 'y'], 2, 'one word too many'],
    [['missing'], 1, 'cannot be read'],
  ])('refuses %j with code %i', async (args, code, message) => {
    const ended = await sync(...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});
