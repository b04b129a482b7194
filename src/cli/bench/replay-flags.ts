/** The flags of `lamina bench replay`. */

import { didYouMean } from '../../compose/nearest-name.ts';
import type { PrincipalInput } from '../../domain/principal.ts';
import { DEFAULT_RANKING, type Ranking } from '../../domain/ranking.ts';
import { MODES, type SearchInput } from '../../domain/recall.ts';
import { readFlagValues, usageError } from '../command.ts';
import { principalFrom } from '../memory-flags.ts';

const COMMAND = 'bench';
const DEFAULT_K = 10;
/** Of a search. */
const MAX_K = 100;

const FLAGS = ['receipts', 'database', 'user', 'tenant', 'ranking', 'mode', 'threshold', 'k', 'json'];

export interface ReplayFlags {
  /** A file; undefined for those in the database. */
  readonly receipts: string | undefined;
  readonly database: string | undefined;
  readonly principal: PrincipalInput;
  readonly ranking: Partial<Ranking>;
  readonly changes: Partial<Pick<SearchInput, 'mode' | 'threshold'>>;
  readonly k: number;
  /** A file, or `-`. */
  readonly json: string | undefined;
}

export function replayHelp(): readonly string[] {
  return [
    'Usage: lamina bench replay [flags]',
    '',
    '  --receipts             A JSON file of receipts. Default: those that the user has in the database',
    '  --database             The database. Default: as configured (LAMINA_DATABASE_URL)',
    '  --user, --tenant       Whose searches. Default: the local user of the nil tenant',
    `  --ranking              What to rank by instead, such as '{"sessions":false}': ${Object.keys(DEFAULT_RANKING).join(', ')}`,
    `  --mode                 Search by this instead: ${MODES.join(', ')}`,
    '  --threshold            The least score instead, 0 to 1',
    `  --k                    How many results are compared. Default: ${DEFAULT_K}`,
    '  --json                 Write the report as JSON to a file, or with - to the standard output instead of the text',
    '',
    'Asks searches again that were recorded (search with record: true), by other settings or after an upgrade, and tells what',
    'moved. Memory is only looked at: no access is counted and no receipt is kept.',
  ];
}

/** Throws a usage error. */
export function replayFlags(args: readonly string[]): ReplayFlags {
  const words = args.map((arg, index) => (arg === '--json' && args[index + 1] === '-' ? '--json=-' : arg));
  const values = readFlagValues(
    COMMAND,
    words.filter((word, index) => !(word === '-' && words[index - 1] === '--json=-')),
    FLAGS,
  );
  const mode = modeFrom(values.get('mode'));
  const threshold = thresholdFrom(values.get('threshold'));
  return {
    receipts: values.get('receipts'),
    database: values.get('database'),
    principal: principalFrom(COMMAND, values),
    ranking: rankingFrom(values.get('ranking')),
    changes: { ...(mode && { mode }), ...(threshold !== undefined && { threshold }) },
    k: countFrom(values.get('k')),
    json: values.get('json'),
  };
}

function rankingFrom(text: string | undefined): Partial<Ranking> {
  if (text === undefined) return {};
  const given = parsed(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw usageError('--ranking accepts a JSON object, such as {"sessions":false}.', COMMAND);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_RANKING, name)) {
      throw usageError(`There is no "${name}" in a ranking.${didYouMean(name, Object.keys(DEFAULT_RANKING))}`, COMMAND);
    }
    const expected = typeof DEFAULT_RANKING[name as keyof Ranking];
    if (typeof value !== expected) throw usageError(`"${name}" of --ranking has to be a ${expected}.`, COMMAND);
  }
  return given;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function modeFrom(text: string | undefined): SearchInput['mode'] {
  const mode = MODES.find((each) => each === text);
  if (text !== undefined && mode === undefined) throw usageError(`--mode accepts ${MODES.join(', ')}.`, COMMAND);
  return mode;
}

function thresholdFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw usageError('--threshold accepts a number from 0 to 1.', COMMAND);
}

function countFrom(text: string | undefined): number {
  const value = text === undefined ? DEFAULT_K : Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX_K) return value;
  throw usageError(`--k accepts a whole number from 1 to ${MAX_K}.`, COMMAND);
}
