/** What the hot paths cost when it was last written down, and whether they cost more now. */

import { readFileSync, writeFileSync } from 'node:fs';
import { LaminaError } from '../../src/domain/error.ts';
import type { Costs, Counts } from './measure-path.ts';

export interface PathFigures extends Counts, Costs {}

export type Measure = keyof PathFigures;

export interface Baseline {
  /** Time and allocations are compared with what ran on the same. */
  readonly node: string;
  readonly platform: string;
  readonly paths: Readonly<Record<string, PathFigures>>;
}

export interface Limits {
  /** How many times as long a path may take. */
  readonly time: number;
  /** How many times as much it may allocate. */
  readonly allocated: number;
}

export const DEFAULT_LIMITS: Limits = { time: 1.5, allocated: 1.25 };

export interface Regression {
  readonly path: string;
  readonly measure: Measure;
  readonly was: number;
  readonly is: number;
  readonly most: number;
}

interface Rule {
  readonly measure: Measure;
  readonly most: (was: number, limits: Limits) => number;
  /** Holds on every machine. */
  readonly isPortable: boolean;
}

/** What is counted is exact, so that little is allowed: a call that sends one statement more is noticed. */
const RULES: readonly Rule[] = [
  { measure: 'statements', most: (was) => was + 0.5, isPortable: true },
  { measure: 'rows', most: (was) => was * 1.1 + 0.5, isPortable: true },
  { measure: 'answerBytes', most: (was) => was * 1.1 + 16, isPortable: true },
  { measure: 'allocatedBytes', most: (was, { allocated }) => was * allocated + 256, isPortable: false },
  { measure: 'time', most: (was, { time }) => was * time, isPortable: false },
];

/** Another version of V8, or another processor family, allocates and computes differently. */
export function isComparable({ node, platform }: Baseline, now: Omit<Baseline, 'paths'>): boolean {
  return platform === now.platform && node.split('.')[0] === now.node.split('.')[0];
}

/** What costs more than it may. A path that was not written down cannot. */
export function regressionsIn(baseline: Baseline, now: Baseline, limits: Limits = DEFAULT_LIMITS): Regression[] {
  const rules = RULES.filter(({ isPortable }) => isPortable || isComparable(baseline, now));
  return Object.entries(now.paths).flatMap(([path, figures]) => {
    const before = baseline.paths[path];
    if (before === undefined) return [];
    return rules.flatMap(({ measure, most }) => {
      const regression = {
        path,
        measure,
        was: before[measure],
        is: figures[measure],
        most: most(before[measure], limits),
      };
      return regression.is > regression.most ? [regression] : [];
    });
  });
}

/** The same with just these paths. */
export function restrictedTo(only: readonly string[] | undefined, baseline: Baseline): Baseline {
  if (only === undefined) return baseline;
  const paths = Object.entries(baseline.paths).filter(([path]) => only.includes(path));
  return { ...baseline, paths: Object.fromEntries(paths) };
}

/** Paths that only one of the two knows. */
export function unmatched(baseline: Baseline, now: Baseline): string[] {
  const [before, after] = [Object.keys(baseline.paths), Object.keys(now.paths)];
  return [...before.filter((path) => !after.includes(path)), ...after.filter((path) => !before.includes(path))];
}

/** Throws `CONFIGURATION_ERROR` where there is none. */
export function readBaseline(file: string): Baseline {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Baseline;
  } catch (error) {
    throw new LaminaError('CONFIGURATION_ERROR', `${file} cannot be read: write it with --record.`, { cause: error });
  }
}

export function writeBaseline(file: string, baseline: Baseline): void {
  // Four digits say enough, and let a reader see what has changed.
  const rounded = JSON.stringify(
    baseline,
    (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value),
    2,
  );
  writeFileSync(file, `${rounded}\n`);
}
