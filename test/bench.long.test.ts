/** A smoke run of `npm run bench`: it ends well, gives every row, and leaves nothing behind. Never how fast. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchEmbedder } from '../bench/bench-embedder.ts';
import { LaminaSide } from '../bench/lamina-side.ts';
import type { Results } from '../bench/report.ts';
import { StatementTape } from '../bench/statement-tape.ts';
import type { Ended } from './lamina-process.ts';
import { runToEnd } from './run-to-end.ts';

const OPERATIONS = [
  'add, one after another',
  'add, 64 concurrent',
  'addMany, 100 per call',
  'search hybrid, query cached',
  'search keyword',
  'search semantic, query cached',
  'get',
  'list, page of 50',
  'search hybrid, query through the model',
];

describe('the raw side', () => {
  it('has the settings that Lamina writes with, durability among them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lamina-bench-test-'));
    const tape = new StatementTape();
    await tape.during(async () => {
      const lamina = await LaminaSide.open(folder, new BenchEmbedder());
      await lamina.memoryOf('alice').add({ content: 'One', layer: 'user' });
      await lamina.close();
    });
    expect(tape.settingsOf('writing')).toMatchObject({
      synchronous: 2,
      foreign_keys: 1,
      secure_delete: 1,
      temp_store: 2,
    });
    rmSync(folder, { recursive: true });
  });
});

describe('npm run bench', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-bench-test-'));
  const scratch = join(folder, 'scratch');
  const jsonFile = join(folder, 'results.json');

  async function bench(...args: string[]): Promise<Ended> {
    const env = { ...process.env, TMPDIR: scratch };
    return runToEnd([resolve('bench/run.ts'), ...args], { env, cwd: folder });
  }

  beforeAll(() => mkdirSync(scratch));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('prints every row beside its limit, writes the results and cleans up', async () => {
    const { code, stdout, stderr } = await bench('--quick', '--users', '5', '--json', jsonFile);
    expect(stderr).toBe('');
    expect(code).toBe(0);

    const { sizes, working, heldBytes, model } = JSON.parse(readFileSync(jsonFile, 'utf8')) as Results;
    expect(sizes).toHaveLength(1);
    const rows = [...sizes.map(({ load }) => load), ...sizes.flatMap(({ operations }) => operations)];
    expect(rows.slice(1).map(({ operation }) => operation)).toEqual(OPERATIONS);
    for (const { operation, lamina, raw, ratio, calls, statementsPerCall } of rows) {
      expect(stdout).toContain(operation);
      // A duration that was not measured would be null in JSON.
      for (const figure of [...Object.values(lamina), ...Object.values(raw), ...Object.values(ratio), calls]) {
        expect(figure, operation).toBeGreaterThan(0);
      }
      expect(statementsPerCall, operation).toBeGreaterThanOrEqual(1);
    }
    expect(sizes[0]?.bytesPerEntry).toBeGreaterThan(0);
    expect(sizes[0]?.rssBytes).toBeGreaterThan(0);
    expect(working.length).toBeGreaterThan(5);
    for (const { operation, microseconds } of working) {
      expect(stdout).toContain(operation);
      expect(microseconds, operation).toBeGreaterThan(0);
    }
    expect(heldBytes).toBeGreaterThan(0);
    expect(heldBytes).toBeLessThanOrEqual(1024);
    for (const { what, faster } of model.rows) expect(faster, what).toBeGreaterThan(0);
    expect(readdirSync(scratch)).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(['results.json', 'scratch']);
  }, 60_000);

  it('refuses a wrong command line with a message that helps', async () => {
    expect(await bench('--entries', '10,many')).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await bench('--entires', '1000');
    expect(code).toBe(2);
    expect(stderr).toContain('--entries N,N');
    expect(readdirSync(scratch)).toEqual([]);
  });
});
