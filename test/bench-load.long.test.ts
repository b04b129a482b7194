/** A run of `npm run bench:load` of three seconds, and what it makes of figures. Never how fast. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadProblems } from '../bench/load/load-report.ts';
import type { EngineLoadResult } from '../bench/load/measure-load.ts';
import { growthOf } from '../bench/load/memory-growth.ts';

describe('npm run bench:load', { timeout: 120_000 }, () => {
  it('asks for everything, fails at nothing, and loses nothing when it is told to end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lamina-load-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const json = join(folder, 'results.json');
    const args = ['--seconds', '3', '--entries', '40', '--connections', '4', '--engine', 'sqlite', '--json', json];
    const child = spawn(process.execPath, [resolve('bench/load/run.ts'), ...args], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(child, 'exit');
    const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: EngineLoadResult[] };
    expect(results).toMatchObject([{ engine: 'sqlite', errors: 0, lost: 0, drain: { code: 0, unanswered: 0 } }]);
    const [result] = results;
    expect(result?.acknowledged).toBeGreaterThanOrEqual(39);
    expect(result?.figures).toHaveLength(10);
  });

  it('says which line rises, and which does not', () => {
    const line = (slope: number): { at: number; bytes: number }[] =>
      Array.from({ length: 100 }, (_, at) => ({ at, bytes: 1000 + slope * at + (at % 2 === 0 ? 20 : -20) }));
    expect(growthOf(line(0))).toBeCloseTo(0, 1);
    expect(growthOf(line(1))).toBeCloseTo(0.1, 1);
    expect(growthOf(line(0).slice(0, 2))).toBeNaN();
  });

  it('tells what is not as it should be', () => {
    const drain = { code: 0, unanswered: 0 };
    const good = { engine: 'sqlite', errors: 0, lost: 0, heldGrowth: 0.01, drain } as EngineLoadResult;
    expect(loadProblems(good)).toEqual([]);
    const bad = {
      ...good,
      errors: 2,
      firstError: 'add: 500',
      lost: 1,
      heldGrowth: 0.2,
      drain: { ...good.drain, code: 1, unanswered: 1 },
    };
    expect(loadProblems(bad)).toHaveLength(5);
  });
});
