/** The file of the reference MCP memory server: taken over by `lamina import-graph`, and written by `lamina export-graph`. */

import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { graphBatches, readGraphLine, type GraphBatch } from '../src/tools/graph-import.ts';
import { readGraph } from '../src/tools/graph-reads.ts';
import type { GraphOutput } from '../src/tools/graph-schemas.ts';
import { callCli, type CalledCli } from './cli-caller.ts';
import { inOrder, ReferenceMemory } from './reference-memory.ts';
import { openLamina, serveLamina, type OpenLamina, type ServedLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let reference: ReferenceMemory;
let opened: OpenLamina;
let served: ServedLamina;

beforeAll(async () => {
  [reference, opened] = await Promise.all([ReferenceMemory.start(), openLamina()]);
  served = await serveLamina(opened.lamina);
});

afterAll(async () => {
  await served.close();
  await Promise.all([reference.close(), opened.close()]);
});

const lamina = (...args: string[]): Promise<CalledCli> => callCli(args);

async function folder(): Promise<string> {
  const made = await makeFolder();
  onTestFinished(() => removeFolder(made));
  return made;
}

async function fileWith(...lines: readonly (string | object)[]): Promise<string> {
  const file = join(await folder(), 'memory.jsonl');
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

function graphOf(userId: string, identifiers?: { projectId: string }): Promise<GraphOutput> {
  return readGraph({ memory: opened.lamina.as({ userId }), identifiers });
}

const ENTITIES = [
  {
    name: 'Ada "Countess"',
    entityType: 'person',
    observations: ['Likes tea', 'likes  tea', '', 'Żółć 🦙\nsecond line'],
  },
  { name: 'n'.repeat(1000), entityType: 'thing', observations: [] },
  ...Array.from({ length: 120 }, (_, n) => ({
    name: `E${n}`,
    entityType: 'number',
    observations: [`Is ${n}`, 'Is even?'],
  })),
];
const RELATIONS = [
  { from: 'E1', to: 'E2', relationType: 'is before' },
  { from: 'Nobody', to: 'E2', relationType: 'knows' },
];

describe('lamina import-graph', () => {
  it('takes over what the reference server wrote, once, and gives it back', { timeout: 60_000 }, async () => {
    await reference.call('create_entities', { entities: ENTITIES });
    await reference.call('create_relations', { relations: RELATIONS });
    const file = join(await folder(), 'memory.jsonl');
    await copyFile(reference.file, file);
    const flags = ['--url', served.url, '--user', 'ada'];

    const checked = await lamina('import-graph', file, ...flags, '--dry-run');
    expect(checked).toEqual({
      code: 0,
      stdout: 'The file can be imported: 122 entities and 2 relations.\n',
      stderr: '',
    });
    expect((await graphOf('ada')).entities).toEqual([]);

    const first = await lamina('import-graph', file, ...flags);
    expect(first).toEqual({
      code: 0,
      stdout: 'Imported 124 lines: 122 entities, 244 observations and 2 relations are new.\n',
      stderr: '',
    });
    expect(inOrder(await graphOf('ada'))).toEqual(inOrder({ entities: ENTITIES, relations: RELATIONS }));
    expect(inOrder(await graphOf('somebody else'))).toEqual({ entities: [], relations: [] });
    const again = await lamina('import-graph', file, ...flags);
    expect(again.stdout).toBe('Imported 124 lines: 0 entities, 0 observations and 0 relations are new.\n');

    // Out again, and the reference server goes on with it.
    const out = join(await folder(), 'out.jsonl');
    expect(await lamina('export-graph', out, ...flags)).toEqual({
      code: 0,
      stdout: `Wrote 124 lines to ${out}.\n`,
      stderr: '',
    });
    await reference.empty();
    await copyFile(out, reference.file);
    const theirs = await reference.call('read_graph', {});
    const [graph] = 'output' in theirs ? [theirs.output as GraphOutput] : [];
    expect(graph && inOrder(graph)).toEqual(inOrder({ entities: ENTITIES, relations: RELATIONS }));
  });

  it('goes on where it was interrupted, and adds to what is there', async () => {
    const line = { type: 'entity', name: 'Ada', entityType: 'person', observations: ['a', 'b'] };
    const flags = ['--url', served.url, '--user', 'bob', '--project', 'p'];
    await lamina('import-graph', await fileWith(line), ...flags);
    // The name twice, as the reference server can write it; Windows' ends of lines; empty lines; a mark at the beginning.
    const file = await fileWith(
      `\uFEFF${JSON.stringify({ ...line, entityType: 'countess', observations: ['b', 'c'] })}\r`,
      '',
      { ...line, observations: ['d'] },
      { type: 'relation', from: 'Ada', to: 'Ada', relationType: 'is' },
      '   ',
    );
    expect((await lamina('import-graph', file, ...flags)).stdout).toBe(
      'Imported 5 lines: 0 entities, 2 observations and 1 relation are new.\n',
    );
    expect(await graphOf('anybody', { projectId: 'p' })).toEqual({
      entities: [{ name: 'Ada', entityType: 'person', observations: ['a', 'b', 'c', 'd'] }],
      relations: [{ from: 'Ada', to: 'Ada', relationType: 'is' }],
    });
    expect((await graphOf('bob')).entities).toEqual([]);
  });

  it('names every bad line and writes nothing', async () => {
    const good = { type: 'entity', name: 'Ada', entityType: 'person', observations: [] };
    const file = await fileWith(
      good,
      '{"type":"entity","name":',
      { ...good, name: '' },
      '',
      { ...good, observations: 'x' },
      { type: 'relation', from: 'Ada', relationType: 'is' },
      { type: 'thing' },
      '[1]',
      { ...good, observations: ['a\0b'] },
      { ...good, observations: ['ok', 'x'.repeat(33_000)] },
    );
    const ended = await lamina('import-graph', file, '--url', served.url, '--user', 'carol');
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr.split('\n')).toEqual([
      expect.stringMatching(/^Line 2: not JSON: /),
      expect.stringMatching(/^Line 3: name: /),
      expect.stringMatching(/^Line 5: observations: /),
      expect.stringMatching(/^Line 6: to: /),
      expect.stringMatching(/^Line 7: .*"entity" or "relation"/),
      expect.stringMatching(/^Line 8: .*"entity" or "relation"/),
      expect.stringMatching(/^Line 9: .*NUL.*[^.]\.$/),
      expect.stringMatching(/^Line 10: observations\.1: longer than/),
      'Nothing was written.',
      '',
    ]);
    expect((await graphOf('carol')).entities).toEqual([]);
    const many = await lamina('import-graph', await fileWith(...Array.from({ length: 30 }, () => 'x')), '--dry-run');
    expect(many.stderr.split('\n')).toHaveLength(22);
    expect(many.stderr).toContain('Nothing was written. 30 lines are bad in all.');
  });

  it('guesses at no character of a file that is not in UTF-8, and takes every one of a file that is', async () => {
    const zoe = JSON.stringify({
      type: 'entity',
      name: 'Zoë',
      entityType: 'person',
      observations: ['Says "\u2028 ü 🌱"'],
    });
    const other = join(await folder(), 'latin1.jsonl');
    await writeFile(other, zoe.replaceAll('🌱', ''), 'latin1');
    const refused = await lamina('import-graph', other, '--url', served.url, '--user', 'zoe');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Line 1: not in UTF-8[^.]*\.\nNothing was written\.\n$/);
    const ended = await lamina('import-graph', await fileWith(`\uFEFF${zoe}`), '--url', served.url, '--user', 'zoe');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect((await graphOf('zoe')).entities).toEqual([
      { name: 'Zoë', entityType: 'person', observations: ['Says "\u2028 ü 🌱"'] },
    ]);
  });

  it('takes an empty file for an empty graph', async () => {
    const ended = await lamina('import-graph', await fileWith(''), '--url', served.url, '--user', 'dora');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    [[], 2, 'FILE is missing: the file of that server'],
    [['x', '--layer', 'galaxy'], 2, '--layer accepts agent, user'],
    [['x', '--agent', 'a'], 2, 'A graph lies in one of the layers user, project'],
    [['x', '--url', 'http://a', '--database', 'sqlite:b'], 2, 'exclude each other'],
    [['x', '--url', 'http://a', '--database-url', 'sqlite:b'], 2, '--url and --database-url exclude each other'],
    [['x', '--database', 'sqlite:a', '--database-url', 'sqlite:b'], 2, 'give one'],
    [['x', 'y'], 2, 'one word too many'],
    [['missing'], 1, 'The file "missing" cannot be read.'],
    [['src'], 1, 'The file "src" cannot be read.'],
  ])('refuses %j with code %i', async (args, code, message) => {
    const ended = await lamina('import-graph', ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});

describe('lamina export-graph', () => {
  it('writes to the standard output for -, with nothing among the lines', async () => {
    const line = { type: 'entity', name: 'Eve', entityType: 'person', observations: ['a'] };
    const flags = ['--url', served.url, '--user', 'eve'];
    await lamina('import-graph', await fileWith(line), ...flags);
    expect(await lamina('export-graph', '-', ...flags)).toEqual({
      code: 0,
      stdout: `${JSON.stringify(line)}\n`,
      stderr: 'Wrote 1 line.\n',
    });
    expect(existsSync('-')).toBe(false);
  });

  it('overwrites nothing, and leaves no half of a graph behind', async () => {
    const file = await fileWith('precious');
    const ended = await lamina('export-graph', file, '--url', served.url);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('must not be there yet');
    expect(await readFile(file, 'utf8')).toBe('precious');
    const out = join(await folder(), 'out.jsonl');
    const unreachable = await lamina('export-graph', out, '--url', 'http://127.0.0.1:9');
    expect([unreachable.code, existsSync(out)]).toEqual([1, false]);
    expect(await lamina('export-graph')).toMatchObject({ code: 2 });
  });
});

describe('batches', () => {
  async function* linesOf(lines: readonly string[]): AsyncGenerator<string, void> {
    yield* lines;
  }

  it('hold every line once, in order, however long the file is', async () => {
    const entity = (n: number): string =>
      JSON.stringify({ type: 'entity', name: `E${n}`, entityType: 't', observations: ['a', 'b'] });
    const batches: GraphBatch[] = [];
    for await (const batch of graphBatches(linesOf(Array.from({ length: 1000 }, (_, n) => entity(n)))))
      batches.push(batch);
    expect(batches.length).toBeGreaterThan(3);
    expect(batches.flatMap(({ entities }) => entities.map(({ name }) => name))).toEqual(
      Array.from({ length: 1000 }, (_, n) => `E${n}`),
    );
    expect(batches.reduce((sum, { lines }) => sum + lines, 0)).toBe(1000);
  });

  it('end at a line that is bad, with its number', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of graphBatches(linesOf(['', '{"type":"relation"}']))) continue;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/^Line 2: /),
    });
  });

  it('know nothing of what else stands on a line', () => {
    const line = { type: 'relation', from: 'a', to: 'b', relationType: 'c', extra: 1 };
    expect(readGraphLine(JSON.stringify(line))).toEqual({
      line: { type: 'relation', from: 'a', to: 'b', relationType: 'c' },
    });
    expect(readGraphLine(' \r')).toBeUndefined();
    expect(readGraphLine('{"__proto__":1,"type":"entity"}')).toEqual({
      problem: expect.stringContaining('reserved key'),
    });
  });
});
