/** The guard of the hot paths: it runs, is content with what it has recorded itself, and notices what got worse. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readBaseline, regressionsIn, unmatched, type Baseline, type PathFigures } from '../bench/check/baseline.ts';
import type { Ended } from './lamina-process.ts';
import { runToEnd } from './run-to-end.ts';

const PATHS = [
  'add',
  'addMany',
  'working set',
  'working get',
  'search hybrid',
  'search keyword',
  'search semantic',
  'get',
  'list',
  'wire encode',
  'wire decode',
];

/** Processes that work for seconds where nothing else is going on. */
const TIMEOUT_MS = 60_000;

/** As generous as a machine that does ten other things at once asks for; the slow-down is far beyond it. */
const GENEROUS = ['--quick', '--time', '20', '--allocated', '5'];

interface Manifest {
  readonly scripts: Record<string, string>;
}

describe('npm run bench:check', { timeout: TIMEOUT_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-check-test-'));
  const file = join(folder, 'baseline.json');

  /** As the script of the package says it. */
  async function check(...args: string[]): Promise<Ended> {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    const [, ...words] = manifest.scripts['bench:check']?.split(' ') ?? [];
    const flags = words.filter((word) => word.startsWith('--'));
    return runToEnd([...flags, resolve('bench/check/run.ts'), ...args, '--baseline', file]);
  }

  afterAll(() => rmSync(folder, { recursive: true }));

  it('says what to do where nothing was recorded', async () => {
    const { code, stderr } = await check('--quick');
    expect(code).toBe(2);
    expect(stderr).toContain('--record');
  });

  it('records every path, with counts that are the same the next time', async () => {
    expect(await check('--quick', '--record')).toMatchObject({ code: 0, stderr: '' });
    const { paths } = readBaseline(file);
    expect(Object.keys(paths)).toEqual(PATHS);
    for (const [name, { allocatedBytes, time, answerBytes }] of Object.entries(paths)) {
      for (const figure of [allocatedBytes, time, answerBytes]) expect(figure, name).toBeGreaterThan(0);
    }
    const { code, stdout, stderr } = await check(...GENEROUS);
    expect(stderr).toBe('');
    expect(stdout).toContain('No path costs more than it did.');
    expect(code).toBe(0);
  });

  it('notices a path that takes longer, and no other', async () => {
    const { code, stdout } = await check(...GENEROUS, '--only', 'get,list', '--slow-down', 'get=2000');
    expect(stdout).toContain('WORSE: get: CPU time');
    expect(stdout.match(/WORSE/g)).toHaveLength(1);
    expect(stdout).not.toContain('search');
    expect(code).toBe(1);
  });

  it('refuses a path that is not there', async () => {
    const { code, stderr } = await check('--quick', '--slow-down', 'fly=10');
    expect(code).toBe(2);
    expect(stderr).toContain('search hybrid');
  });
});

describe('what counts as worse', () => {
  const figures: PathFigures = { statements: 4, rows: 20, answerBytes: 1000, allocatedBytes: 10_000, time: 0.5 };

  function baseline(paths: Record<string, Partial<PathFigures>>, node = '24.1.0'): Baseline {
    const whole = Object.entries(paths).map(([name, changed]) => [name, { ...figures, ...changed }]);
    return { node, platform: 'linux x64', paths: Object.fromEntries(whole) as Record<string, PathFigures> };
  }

  const before = baseline({ get: {} });
  const worse = (changed: Partial<PathFigures>, node?: string): string[] =>
    regressionsIn(before, baseline({ get: changed }, node)).map(({ measure }) => measure);

  it('is one more statement, but not another mix of queries', () => {
    expect(worse({ statements: 5 })).toEqual(['statements']);
    expect(worse({ statements: 4.4 })).toEqual([]);
  });

  it('is more rows, a larger answer, more allocations, more time', () => {
    expect(worse({ rows: 23 })).toEqual(['rows']);
    expect(worse({ answerBytes: 1200 })).toEqual(['answerBytes']);
    expect(worse({ allocatedBytes: 13_000 })).toEqual(['allocatedBytes']);
    expect(worse({ time: 0.76 })).toEqual(['time']);
    expect(worse({ time: 0.74, allocatedBytes: 12_000, rows: 21, answerBytes: 1050 })).toEqual([]);
    expect(worse({ statements: 1, rows: 1, time: 0.1 })).toEqual([]);
  });

  it('is, under another version of Node, only what is counted', () => {
    expect(worse({ time: 5, allocatedBytes: 1e6, statements: 6 }, '26.0.0')).toEqual(['statements']);
    expect(worse({ time: 5 }, '24.9.0')).toEqual(['time']);
  });

  it('is not known for a path that only one of the two has', () => {
    const now = baseline({ list: { time: 9 } });
    expect(regressionsIn(before, now)).toEqual([]);
    expect(unmatched(before, now)).toEqual(['get', 'list']);
  });
});
