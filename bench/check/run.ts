/** `npm run bench:check`: fails when a hot path costs more than it did, also on a machine that is busy. */

import { accessSync, constants } from 'node:fs';
import { Lamina } from '../../src/compose/lamina.ts';
import { systemClock } from '../../src/compose/system.ts';
import { LaminaError } from '../../src/domain/error.ts';
import type { Clock, Ids } from '../../src/ports/clock.ts';
import { BenchEmbedder } from '../bench-embedder.ts';
import { runBenchmark } from '../command-line.ts';
import { progressOn, type Progress } from '../progress.ts';
import { StatementTape } from '../statement-tape.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Workload } from '../workload.ts';
import {
  isComparable,
  readBaseline,
  regressionsIn,
  restrictedTo,
  unmatched,
  writeBaseline,
  type Baseline,
  type PathFigures,
} from './baseline.ts';
import { calibrationLoop } from './calibration-loop.ts';
import { parseCheckOptions, USAGE, type CheckOptions } from './check-options.ts';
import { checkReport, regressionReport } from './check-report.ts';
import { hotPathsOn, prepareGround, type HotPath } from './hot-paths.ts';
import { countPath, measureCosts, type Counts } from './measure-path.ts';

/** A path that seems slower is measured again: noise goes away, a slow-down does not. What is recorded has none. */
const ATTEMPTS = 3;

/** In memory, where there is such a place: what the kernel spends on a busy disk is none of our code's. */
const MEMORY_FOLDER = '/dev/shm';

/** Time stands still and names are counted, so that answers have the same bytes in every run. */
const CLOCK: Clock = { ...systemClock, now: () => Date.parse('2026-03-04T08:00:00.000Z') };

function countedIds(): Ids {
  let count = 0;
  return { next: () => `01990b2e-6f3a-7000-8000-${(count += 1).toString(16).padStart(12, '0')}` };
}

function parentFolder(): string | undefined {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    return MEMORY_FOLDER;
  } catch {
    return undefined;
  }
}

/** Those that are wanted, and one of them slower where that is wanted. */
function wantedOf(paths: readonly HotPath[], { only, slowDown }: CheckOptions): HotPath[] {
  const names = paths.map(({ name }) => name);
  const unknown = [...(only ?? []), ...(slowDown ? [slowDown.path] : [])].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', `There is no path "${unknown}". Paths are: ${names.join(', ')}.`);
  }
  return paths
    .filter(({ name }) => only?.includes(name) ?? true)
    .map((path) => (path.name === slowDown?.path ? slower(path, slowDown.microseconds) : path));
}

function slower(path: HotPath, microseconds: number): HotPath {
  const call: HotPath['call'] = (index) => {
    const ends = performance.now() + microseconds / 1000;
    while (performance.now() < ends);
    return path.call(index);
  };
  return { ...path, call };
}

/** On a folder of its own: with the tape everything is slower. */
async function onPaths<T>(options: CheckOptions, work: (paths: readonly HotPath[]) => Promise<T>): Promise<T> {
  const embedder = new BenchEmbedder();
  await embedder.calibration();
  const folder = temporaryFolder(parentFolder());
  await using lamina = await Lamina.open({ folder, embedder, clock: CLOCK, ids: countedIds() });
  const ground = { lamina, embedder, workload: new Workload(1, 1) };
  await prepareGround(ground);
  return await work(wantedOf(hotPathsOn(ground), options));
}

async function countAll(options: CheckOptions): Promise<Map<string, Counts>> {
  const tape = new StatementTape();
  const count = async (paths: readonly HotPath[]): Promise<Map<string, Counts>> => {
    const counts = new Map<string, Counts>();
    for (const path of paths) counts.set(path.name, await countPath(path, tape));
    return counts;
  };
  return tape.during(() => onPaths(options, count));
}

const HERE: Omit<Baseline, 'paths'> = { node: process.versions.node, platform: `${process.platform} ${process.arch}` };

/** The best of the attempts. Where there is something to compare with, the first that is good enough is the last. */
async function measureBest(
  path: HotPath,
  counts: Counts,
  { effort, limits }: CheckOptions,
  { loop, baseline }: { readonly loop: () => number; readonly baseline: Baseline | undefined },
): Promise<PathFigures> {
  let best: PathFigures = { ...counts, allocatedBytes: Infinity, time: Infinity };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { allocatedBytes, time } = await measureCosts(path, loop, effort);
    best = {
      ...counts,
      allocatedBytes: Math.min(allocatedBytes, best.allocatedBytes),
      time: Math.min(time, best.time),
    };
    const now = { ...HERE, paths: { [path.name]: best } };
    if (baseline !== undefined && regressionsIn(baseline, now, limits).length === 0) break;
  }
  return best;
}

async function measureAll(
  options: CheckOptions,
  baseline: Baseline | undefined,
  progress: Progress,
): Promise<Baseline> {
  progress.say('counting');
  const counted = await countAll(options);
  const loop = calibrationLoop();
  const paths: Record<string, PathFigures> = {};
  await onPaths(options, async (all) => {
    for (const path of all) {
      progress.say(path.name);
      const counts = counted.get(path.name);
      if (counts === undefined) throw new Error(`"${path.name}" was not counted.`);
      paths[path.name] = await measureBest(path, counts, options, { loop, baseline });
    }
  });
  progress.clear();
  return { ...HERE, paths };
}

async function record(options: CheckOptions): Promise<void> {
  const now = await measureAll(options, undefined, progressOn(process.stderr));
  writeBaseline(options.baselineFile, now);
  console.log(`${checkReport(now, undefined)}\n\nRecorded.`);
}

/** Whether nothing costs more. */
async function check(options: CheckOptions): Promise<boolean> {
  const baseline = restrictedTo(options.only, readBaseline(options.baselineFile));
  const now = await measureAll(options, baseline, progressOn(process.stderr));
  const regressions = regressionsIn(baseline, now, options.limits);
  const lines = [checkReport(now, baseline), ''];
  if (!isComparable(baseline, now)) {
    lines.push(
      `Recorded with Node ${baseline.node} on ${baseline.platform}: time and allocations are shown, but not compared.`,
    );
  }
  const missing = unmatched(baseline, now);
  if (missing.length > 0)
    lines.push(`Not comparable, because new or gone: ${missing.join('; ')}. Write with --record.`);
  lines.push(regressions.length === 0 ? 'No path costs more than it did.' : regressionReport(regressions));
  console.log(lines.join('\n'));
  return regressions.length === 0 && missing.length === 0;
}

await runBenchmark(USAGE, parseCheckOptions, async (options) => {
  if (options.isRecording) await record(options);
  else if (!(await check(options))) process.exitCode = 1;
});
