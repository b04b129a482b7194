/** What the comparison is asked to do. */

import { parseArgs } from 'node:util';
import { PEERS, peerNamed } from './peers.ts';

export const USAGE = `Usage: node bench/peers/run.ts [options]      (once before: npm ci --ignore-scripts --prefix bench/peers)

  --sizes N,N…    texts to store, one run for each (default 5882)
  --full          the same as --sizes 5882,100000 --cap 900
  --peers A,B…    only these: ${PEERS.map(({ name }) => name).join(', ')}
  --per-user N    texts of each user (default 588)
  --searches N    searches that are timed (default 200)
  --cap SECONDS   for the adds of one peer, and again for its searches (default 300)
  --seed N        seed of the generated texts (default 1)
  --json FILE     writes the results there as well
  --help          shows this

BENCH_POSTGRES_URL names a PostgreSQL server with pgvector and a role that may create databases: each peer that needs
one gets a database of its own there, which is dropped afterwards. Without it those peers are left out.
Files are made in a temporary folder and removed. Set TMPDIR to choose the disk.`;

export interface Options {
  readonly sizes: readonly number[];
  readonly peers: readonly string[];
  readonly textsPerUser: number;
  readonly searches: number;
  readonly capSeconds: number;
  readonly seed: number;
  readonly jsonFile: string | undefined;
  readonly wantsHelp: boolean;
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && text.trim() !== '') return value;
  throw new Error(`--${name} takes whole numbers from ${least} on, not "${text}".`);
}

/** Throws for a wrong command line. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string' },
      full: { type: 'boolean', default: false },
      peers: { type: 'string' },
      'per-user': { type: 'string', default: '588' },
      searches: { type: 'string', default: '200' },
      cap: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const sizes = values.sizes ?? (values.full ? '5882,100000' : '5882');
  return {
    sizes: sizes.split(',').map((size) => wholeNumber('sizes', size, 10)),
    peers: values.peers?.split(',').map((name) => peerNamed(name).name) ?? PEERS.map(({ name }) => name),
    textsPerUser: wholeNumber('per-user', values['per-user'], 1),
    searches: wholeNumber('searches', values.searches, 1),
    capSeconds: wholeNumber('cap', values.cap ?? (values.full ? '900' : '300'), 1),
    seed: wholeNumber('seed', values.seed, 0),
    jsonFile: values.json,
    wantsHelp: values.help,
  };
}
