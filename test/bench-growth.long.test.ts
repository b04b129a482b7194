/** A smoke run of `npm run bench:growth`, and what its report and its plot make of figures. Never how fast. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { growthPlot } from '../bench/growth/growth-docs.ts';
import { growthReport } from '../bench/growth/growth-report.ts';
import { spread } from '../bench/growth/log-log-plot.ts';
import type { Growth, GrowthRow } from '../bench/growth/measure-growth.ts';
import { Population, SCOPE } from '../bench/growth/population.ts';
import type { GrowthResults } from '../bench/growth/run.ts';
import type { Ended } from './lamina-process.ts';
import { runToEnd } from './run-to-end.ts';

const OPERATIONS = [
  "search, a user's first",
  'search, own memories',
  'search, own and shared',
  'own and shared, by words',
  'own and shared, by meaning',
  'list, page of 50',
  'recent, 20 episodes',
  'get',
  'add',
];

/** Processes that work for seconds where nothing else is going on. */
const TIMEOUT_MS = 60_000;

describe('npm run bench:growth', { timeout: TIMEOUT_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-growth-test-'));
  const scratch = join(folder, 'scratch');
  const jsonFile = join(folder, 'results.json');

  async function bench(...args: string[]): Promise<Ended> {
    const env = { ...process.env, TMPDIR: scratch };
    return runToEnd([resolve('bench/growth/run.ts'), ...args], { env, cwd: folder });
  }

  beforeAll(() => mkdirSync(scratch));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('prints every operation at every size, writes the results and cleans up', async () => {
    const { code, stdout, stderr } = await bench('--quick', '--json', jsonFile);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { rows, sizes } = JSON.parse(readFileSync(jsonFile, 'utf8')) as GrowthResults;
    expect(rows.map(({ operation }) => operation)).toEqual(OPERATIONS);
    for (const { operation, sizes: figures } of rows) {
      expect(stdout).toContain(operation);
      expect(figures.map(({ entries }) => entries)).toEqual([1000, 1500]);
      for (const { calls, p50, p95 } of figures.slice(1)) {
        expect(calls, operation).toBeGreaterThan(0);
        expect(p50, operation).toBeGreaterThan(0);
        expect(p95, operation).toBeGreaterThanOrEqual(Number(p50));
      }
    }
    expect(sizes.map(({ users, shared }) => [users, shared])).toEqual([
      [1, 500],
      [2, 500],
    ]);
    for (const size of sizes) for (const figure of Object.values(size)) expect(figure).toBeGreaterThan(0);
    expect(readdirSync(scratch)).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(['results.json', 'scratch']);
  });

  it('refuses a wrong command line with a message that helps', async () => {
    const { code, stderr } = await bench('--sizes', '1200');
    expect(code).toBe(2);
    expect(stderr).toContain('multiples of 500');
    expect(await bench('--size', '1000')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a tenant that grows', () => {
  it('gives every user as many entries, far apart, and the rest to all', () => {
    const population = new Population(10_000, 1);
    const batches = [...population.batches()];
    const counts = new Map<string, number>();
    for (const { userId, inputs } of batches) counts.set(userId, (counts.get(userId) ?? 0) + inputs.length);
    const { librarian, ...users } = Object.fromEntries(counts);
    expect(librarian).toBe(population.shared);
    expect(Object.values(users)).toEqual(Array.from({ length: 18 }, () => SCOPE));
    const [first, last] = [0, -1].map((at) =>
      batches
        .map(({ userId }) => userId)
        .filter((id) => id !== 'librarian')
        .at(at),
    );
    expect([first, last].every((userId) => population.usersAsked(200).includes(userId ?? ''))).toBe(true);
    expect(batches.filter(({ userId }) => userId === 'user-0')).toHaveLength(20);
  });
});

function row(operation: string, isScoped: boolean, p50s: readonly (number | null)[]): GrowthRow {
  const sizes = [1000, 10_000, 100_000].map((entries, index) => {
    const p50 = p50s[index] ?? null;
    return { entries, calls: 1, p50, p95: p50 === null ? null : p50 * 2 };
  });
  return { operation, isScoped, sizes };
}

function growth(rows: readonly GrowthRow[], firstSearchMs = 100): Growth {
  const size = { users: 1, shared: 1, perSecond: 1, lastPerSecond: 1, bytes: 1, rssBytes: 1, heapBytes: 1 };
  const sizes = [1000, 10_000, 100_000].map((entries) => ({ ...size, entries, firstSearchMs, firstSharedSearchMs: 1 }));
  return { sizes, rows };
}

describe('the report on growth', () => {
  it('says what holds, from 10,000 entries on and for what is scoped to a user', () => {
    const report = growthReport(growth([row('get', true, [1, 5, 9]), row('search all', false, [1, 1, 50])]));
    expect(report).toContain('from 10k to 100k (p50): holds; most grows "get", 1.80×');
    expect(report).toContain('at most 2,000 ms: holds');
  });

  it('says what does not', () => {
    const report = growthReport(growth([row('get', true, [1, 5, 11]), row('list', true, [1, 1, 1])], 2001));
    expect(report).toContain('(p50): DOES NOT HOLD; most grows "get", 2.20×');
    expect(report).toContain('at most 2,000 ms: DOES NOT HOLD');
  });
});

describe('the plot of growth', () => {
  it('draws every operation, leaves out what was not measured, and sets no background', () => {
    const svg = growthPlot(growth([row('a & b', true, [null, 5, 11]), row('list', true, [0.01, 0.1, 100])]));
    expect(svg).toContain('a &amp; b');
    expect(svg.match(/<circle/g)).toHaveLength(5);
    expect(svg).not.toMatch(/NaN|undefined|<rect/);
    for (const tick of ['1k', '10k', '100k', '0.01', '0.1', '1', '10', '100']) expect(svg).toContain(`>${tick}</text>`);
  });

  it('keeps labels apart, in their order and inside', () => {
    expect(spread([50, 50, 10], 10, 0, 60)).toEqual([50, 60, 10]);
    expect(spread([58, 59, 60], 10, 0, 60)).toEqual([40, 50, 60]);
    expect(spread([10, 30], 10, 0, 60)).toEqual([10, 30]);
  });
});
