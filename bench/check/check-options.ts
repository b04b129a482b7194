/** What the guard is asked to do. */

import { join } from 'node:path';
import { LaminaError } from '../../src/domain/error.ts';
import { flagsOf } from '../command-line.ts';
import { DEFAULT_LIMITS, type Limits } from './baseline.ts';
import type { CheckEffort } from './measure-path.ts';

export const USAGE = `Usage: npm run bench:check -- [options]

  --record          writes down what the hot paths cost now, instead of comparing
  --only PATH,PATH  just these paths
  --baseline FILE   default bench/baseline.json
  --time N          fails when a path takes more than N times as long (default ${DEFAULT_LIMITS.time})
  --allocated N     fails when it allocates more than N times as much (default ${DEFAULT_LIMITS.allocated})
  --slow-down PATH=MICROSECONDS
                    makes a path slower, to see whether that is noticed
  --quick           fewer rounds, for trying out
  --help            shows this`;

const FULL: CheckEffort = { warmUpMs: 400, rounds: 100, mostMs: 1500 };
const QUICK: CheckEffort = { warmUpMs: 20, rounds: 8, mostMs: 100 };

export interface CheckOptions {
  readonly baselineFile: string;
  readonly isRecording: boolean;
  /** Names of paths; undefined for all of them. */
  readonly only: readonly string[] | undefined;
  readonly limits: Limits;
  readonly effort: CheckEffort;
  readonly slowDown: { readonly path: string; readonly microseconds: number } | undefined;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  record: { type: 'boolean', default: false },
  only: { type: 'string' },
  baseline: { type: 'string', default: join(import.meta.dirname, '..', 'baseline.json') },
  time: { type: 'string', default: String(DEFAULT_LIMITS.time) },
  allocated: { type: 'string', default: String(DEFAULT_LIMITS.allocated) },
  'slow-down': { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function factor(name: string, text: string): number {
  const value = Number(text);
  if (value >= 1) return value;
  throw new LaminaError('CONFIGURATION_ERROR', `--${name} takes a number from 1 on, not "${text}".`);
}

function slowDownOf(text: string): NonNullable<CheckOptions['slowDown']> {
  const [, path = '', microseconds = ''] = /^(.+)=(\d+)$/.exec(text) ?? [];
  if (path !== '') return { path, microseconds: Number(microseconds) };
  throw new LaminaError('CONFIGURATION_ERROR', `--slow-down takes PATH=MICROSECONDS, not "${text}".`);
}

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
export function parseCheckOptions(args: readonly string[]): CheckOptions {
  const { record, only, baseline, time, allocated, quick, help, ...rest } = flagsOf(args, FLAGS, USAGE);
  const slowDown = rest['slow-down'];
  return {
    baselineFile: String(baseline),
    isRecording: record === true,
    only: typeof only === 'string' ? only.split(',') : undefined,
    limits: { time: factor('time', String(time)), allocated: factor('allocated', String(allocated)) },
    effort: quick === true ? QUICK : FULL,
    slowDown: typeof slowDown === 'string' ? slowDownOf(slowDown) : undefined,
    wantsHelp: help === true,
  };
}
