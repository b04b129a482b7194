/** What the load benchmark is asked to do. */

import { LaminaError } from '../../src/domain/error.ts';
import { flagsOf, wholeNumber } from '../command-line.ts';

const LOADED_ENGINES = ['sqlite', 'postgres'] as const;

export type LoadedEngine = (typeof LOADED_ENGINES)[number];

export const USAGE = `Usage: npm run bench:load -- [options]

  --minutes N      how long each engine is under load (default 10)
  --seconds N      the same in seconds
  --engine NAME    sqlite, postgres or both (default both)
  --url URL        a superuser's address of an empty PostgreSQL database (default: a private server is started)
  --connections N  clients that ask at the same time (default 16)
  --entries N      memories that are there before (default 12000: as many as fill the caches)
  --seed N         seed of the generated data (default 1)
  --json FILE      writes the results there as well
  --write-docs     puts the tables into docs/benchmarks.md
  --help           shows this

Files are made in a temporary folder and removed. Set TMPDIR to choose the disk.`;

export interface LoadOptions {
  readonly seconds: number;
  readonly engines: readonly LoadedEngine[];
  readonly postgresUrl: string | undefined;
  readonly connections: number;
  readonly entries: number;
  readonly seed: number;
  readonly jsonFile: string | undefined;
  readonly writesDocs: boolean;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  minutes: { type: 'string', default: '10' },
  seconds: { type: 'string' },
  engine: { type: 'string', default: 'both' },
  url: { type: 'string' },
  connections: { type: 'string', default: '16' },
  entries: { type: 'string', default: '12000' },
  seed: { type: 'string', default: '1' },
  json: { type: 'string' },
  'write-docs': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function enginesOf(text: string): readonly LoadedEngine[] {
  const named = LOADED_ENGINES.filter((engine) => text === 'both' || text === engine);
  if (named.length > 0) return named;
  throw new LaminaError('CONFIGURATION_ERROR', `--engine takes sqlite, postgres or both, not "${text}".`);
}

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
export function parseLoadOptions(args: readonly string[]): LoadOptions {
  const { minutes, seconds, engine, url, connections, entries, seed, json, help, ...rest } = flagsOf(
    args,
    FLAGS,
    USAGE,
  );
  return {
    seconds:
      seconds === undefined
        ? 60 * wholeNumber('minutes', String(minutes), 1)
        : wholeNumber('seconds', String(seconds), 1),
    engines: enginesOf(String(engine)),
    postgresUrl: typeof url === 'string' ? url : undefined,
    connections: wholeNumber('connections', String(connections), 1),
    entries: wholeNumber('entries', String(entries), 1),
    seed: wholeNumber('seed', String(seed), 0),
    jsonFile: typeof json === 'string' ? json : undefined,
    writesDocs: rest['write-docs'] === true,
    wantsHelp: help === true,
  };
}
