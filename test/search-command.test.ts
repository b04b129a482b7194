/** `lamina search`: what it shows and explains, that nobody's memory writes to the terminal, and what it refuses. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { searchText } from '../src/cli/search-text.ts';
import { Lamina } from '../src/compose/lamina.ts';
import type { SearchOutput } from '../src/domain/recall.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { callCli } from './cli-caller.ts';
import { runLamina } from './lamina-process.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

async function found(content: string, query: string): Promise<SearchOutput> {
  const { lamina } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'u' });
  await memory.add({ content, layer: 'user' });
  return memory.search({ query, threshold: 0, record: true });
}

describe('the answer', () => {
  it('explains each score by what adds up to it', async () => {
    const output = await found('The ferry leaves at noon', 'When does the ferry leave?');
    const text = searchText(output, true);
    const sum = [...text.matchAll(/^ {5}(?!sum)\w+ .* ([-+]\d+\.\d\d)/gm)].reduce(
      (total, [, each]) => total + Number(each),
      0,
    );
    const [, told = '', score = ''] = /^ {5}sum +([-+]\d+\.\d\d) +→ (\d\.\d{3})$/m.exec(text) ?? [];
    expect(Number(told)).toBeCloseTo(sum, 1);
    expect(1 / (1 + Math.exp(-Number(told)))).toBeCloseTo(Number(score), 2);
    expect(Number(score)).toBeCloseTo(output.results[0]?.score ?? 0, 3);
    expect(text).toMatch(/text .*█/);
    expect(text).toContain('1 of 1 that pass the threshold.');
    expect(text).toContain(`Recorded as ${output.receiptId}.`);
    expect(searchText(output, false)).not.toContain('█');
  });

  it('shows no control characters of a memory, and nothing turned around', async () => {
    const text = searchText(await found('ferry \u001B[2J\u0007\u009B31m at\r\nnoon \u202Eevil', 'ferry'), true);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(text).toContain('noon');
  });

  it('cuts what is long, and keeps joined pictures whole', async () => {
    const text = searchText(await found(`👨‍👩‍👧 ferry ${'long '.repeat(100)}`, 'ferry'), false);
    expect(text).toContain('👨‍👩‍👧 ferry long');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(120);
  });

  it('says so where nothing is found', () => {
    const nothing = { results: [], totalCount: 0, searchedLayers: [], warnings: ['Only words were searched.'] };
    expect(searchText(nothing, true)).toContain('Nothing found.');
    expect(searchText(nothing, true)).toContain('Note: Only words were searched.');
  });
});

it('searches the memory that is named, as a command', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lamina-search-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const lamina = await Lamina.open({ folder, embedder: new HashEmbedder() });
  await lamina.as({ userId: 'u' }).add({ content: 'The ferry leaves at noon', layer: 'user' });
  await lamina.as({ userId: 'v' }).add({ content: 'The ferry is late', layer: 'user' });
  await lamina.close();
  const where = ['--database', `sqlite:${folder}`, '--user', 'u', '--mode', 'keyword', '--threshold', '0.2'];
  const { code, stdout } = await runLamina(['search', 'ferry', '--json', ...where]);
  expect(code).toBe(0);
  const { results } = JSON.parse(stdout) as SearchOutput;
  expect(results.map(({ memory }) => memory.content)).toEqual(['The ferry leaves at noon']);
}, 30_000);

it.each([
  [[], 'QUERY is missing: what to look for.'],
  [['--explain'], 'QUERY is missing: what to look for.'],
  [['ferry', '--mode', 'magic'], '--mode accepts hybrid, keyword, semantic.'],
  [['ferry', '--limit', 'many'], '--limit accepts a number.'],
  [['ferry', '--layer', 'galaxy'], '--layer accepts agent'],
  [['ferry', '--explian'], 'Unknown flag "--explian".'],
  [['ferry', 'boat'], '"boat" is one word too many.'],
  [['ferry', '--url', 'http://x', '--database', 'sqlite:y'], '--url and --database exclude each other.'],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await callCli(['search', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
