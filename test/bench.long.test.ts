/** A smoke run of `npm run bench`: it ends well, gives every row, and leaves nothing behind. Never how fast. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../bench/report.ts';

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

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('npm run bench', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-bench-test-'));
  const scratch = join(folder, 'scratch');
  const jsonFile = join(folder, 'results.json');

  async function bench(...args: string[]): Promise<Ended> {
    const env = { ...process.env, TMPDIR: scratch };
    const child = spawn(process.execPath, [resolve('bench/run.ts'), ...args], { env, cwd: folder });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
    await once(child, 'close');
    return { code: child.exitCode, ...output };
  }

  beforeAll(() => mkdirSync(scratch));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('prints every row beside its limit, writes the results and cleans up', async () => {
    const { code, stdout, stderr } = await bench('--quick', '--users', '5', '--json', jsonFile);
    expect(stderr).toBe('');
    expect(code).toBe(0);

    const { sizes, working, model } = JSON.parse(readFileSync(jsonFile, 'utf8')) as Results;
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
    expect(model.single.p50).toBeGreaterThan(0);
    expect(model.batch.perSecond).toBeGreaterThan(0);
    expect(readdirSync(scratch)).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(['results.json', 'scratch']);
  });

  it('refuses a wrong command line with a message that helps', async () => {
    expect(await bench('--entries', '10,many')).toMatchObject({ code: 2, stdout: '' });
    const { code, stderr } = await bench('--entires', '1000');
    expect(code).toBe(2);
    expect(stderr).toContain('--entries N,N');
    expect(readdirSync(scratch)).toEqual([]);
  });
});
