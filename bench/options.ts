/** What the benchmark is asked to do, and how much of everything that means. */

import { flagsOf, wholeNumber } from './command-line.ts';

export const USAGE = `Usage: npm run bench -- [options]

  --entries N,N…  entries in the tenant, one run for each (default 10000)
  --users N       users that they are spread over (default 20)
  --seed N        seed of the generated data (default 1)
  --quick         a smoke run of a few seconds; its numbers mean nothing
  --json FILE     writes the results there as well
  --help          shows this

Files are made in a temporary folder and removed. Set TMPDIR to choose the disk.`;

/** How often things are done: enough that a percentile means something, or just enough to see that they work. */
export interface Effort {
  /** Different things to look up per reading operation, and how often all of them are looked up. */
  readonly targets: number;
  readonly rounds: number;
  readonly singleAdds: number;
  readonly concurrentGroups: number;
  readonly batches: number;
  /** Searches whose query goes through the model; also single texts in its own table. */
  readonly modelTexts: number;
  /** Texts that go through it in one call. */
  readonly modelBulk: number;
  /** Over HTTP: entries to ask for, and how long each side is asked how often. */
  readonly http: { readonly entries: number; readonly rounds: number; readonly blockMs: number };
}

const FULL: Effort = {
  targets: 250,
  rounds: 4,
  singleAdds: 600,
  concurrentGroups: 25,
  batches: 25,
  modelTexts: 30,
  modelBulk: 768,
  http: { entries: 2000, rounds: 7, blockMs: 500 },
};

const QUICK: Effort = {
  targets: 20,
  rounds: 1,
  singleAdds: 20,
  concurrentGroups: 2,
  batches: 2,
  modelTexts: 3,
  modelBulk: 24,
  http: { entries: 100, rounds: 1, blockMs: 50 },
};

export interface Options {
  readonly sizes: readonly number[];
  readonly users: number;
  readonly seed: number;
  readonly effort: Effort;
  readonly isQuick: boolean;
  readonly jsonFile: string | undefined;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  entries: { type: 'string' },
  users: { type: 'string', default: '20' },
  seed: { type: 'string', default: '1' },
  json: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
export function parseOptions(args: readonly string[]): Options {
  const { entries, users, seed, json, quick, help } = flagsOf(args, FLAGS, USAGE);
  const isQuick = quick === true;
  const sizes = String(entries ?? (isQuick ? 500 : 10_000)).split(',');
  return {
    sizes: sizes.map((size) => wholeNumber('entries', size, 100)),
    users: wholeNumber('users', String(users), 1),
    seed: wholeNumber('seed', String(seed), 0),
    effort: isQuick ? QUICK : FULL,
    isQuick,
    jsonFile: typeof json === 'string' ? json : undefined,
    wantsHelp: help === true,
  };
}
