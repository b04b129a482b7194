/** What the growth benchmark is asked to do. */

import { LaminaError } from '../../src/domain/error.ts';
import { flagsOf, wholeNumber } from '../command-line.ts';
import { SCOPE } from './population.ts';

export const USAGE = `Usage: npm run bench:growth -- [options]

  --sizes N,N…   entries in the tenant, multiples of ${SCOPE} from 1000 on (default 1000,10000,100000)
  --full         also 1000000: takes some ten minutes and 6 GB in the temporary folder
  --seed N       seed of the generated data (default 1)
  --quick        a smoke run of a few seconds; its numbers mean nothing
  --json FILE    writes the results there as well
  --write-docs   puts the plot into docs/growth.svg and the tables into docs/benchmarks.md
  --help         shows this

Files are made in a temporary folder and removed. Set TMPDIR to choose the disk.`;

const SIZES = '1000,10000,100000';
const FULL_SIZES = `${SIZES},1000000`;
const QUICK_SIZES = '1000,1500';

export interface GrowthOptions {
  readonly sizes: readonly number[];
  readonly seed: number;
  /** Different things to look up, how often all of them are, and how many entries are added. */
  readonly targets: number;
  readonly rounds: number;
  readonly adds: number;
  readonly isQuick: boolean;
  readonly jsonFile: string | undefined;
  readonly writesDocs: boolean;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  sizes: { type: 'string' },
  full: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  quick: { type: 'boolean', default: false },
  json: { type: 'string' },
  'write-docs': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function sizeOf(text: string): number {
  const size = wholeNumber('sizes', text, 1000);
  if (size % SCOPE === 0) return size;
  throw new LaminaError('CONFIGURATION_ERROR', `--sizes takes multiples of ${SCOPE}, not "${text}".`);
}

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
export function parseGrowthOptions(args: readonly string[]): GrowthOptions {
  const { sizes, full, seed, quick, json, help, ...rest } = flagsOf(args, FLAGS, USAGE);
  const isQuick = quick === true;
  const usual = isQuick ? QUICK_SIZES : full === true ? FULL_SIZES : SIZES;
  return {
    sizes: String(sizes ?? usual)
      .split(',')
      .map(sizeOf)
      .toSorted((a, b) => a - b),
    seed: wholeNumber('seed', String(seed), 0),
    ...(isQuick ? { targets: 10, rounds: 1, adds: 10 } : { targets: 200, rounds: 4, adds: 400 }),
    isQuick,
    jsonFile: typeof json === 'string' ? json : undefined,
    writesDocs: rest['write-docs'] === true,
    wantsHelp: help === true,
  };
}
