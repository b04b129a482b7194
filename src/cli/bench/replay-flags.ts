/** The flags of `lamina bench replay`. */

import { didYouMean } from '../../compose/nearest-name.ts';
import type { PrincipalInput } from '../../domain/principal.ts';
import { DEFAULT_RANKING, type Ranking } from '../../domain/ranking.ts';
import { MODES, type SearchInput } from '../../domain/recall.ts';
import { usageError, type Command, type Given } from '../command.ts';
import { databaseFlags, databaseGiven } from '../database-flags.ts';
import { countFrom, numberFrom, objectFrom } from '../flag-values.ts';
import { principalFrom, WHO } from '../memory-flags.ts';

const DEFAULT_K = 10;
/** Of a search. */
const MAX_K = 100;

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

export const REPLAY_COMMAND: Command = {
  name: 'replay',
  summary: 'Ask recorded searches again by other settings, and tell what moved.',
  flags: [
    {
      name: 'receipts',
      value: 'FILE',
      description: 'A JSON file of receipts',
      fallback: 'those that the user has in the database',
    },
    ...databaseFlags({
      value: 'ADDRESS',
      description: 'The database',
      fallback: 'as configured (LAMINA_DATABASE_URL)',
    }),
    ...WHO,
    {
      name: 'ranking',
      value: 'JSON',
      description: `What to rank by instead, such as '{"sessions":false}': ${Object.keys(DEFAULT_RANKING).join(', ')}`,
    },
    { name: 'mode', value: 'MODE', choices: MODES, description: 'Search by this instead' },
    { name: 'threshold', value: 'SCORE', description: 'The least score instead, 0 to 1' },
    { name: 'k', value: 'N', description: 'How many results are compared', fallback: String(DEFAULT_K) },
    {
      name: 'json',
      value: 'FILE',
      description: 'Write the report as JSON to a file, or with - to the standard output instead of the text',
    },
  ],
  examples: [
    { line: 'lamina bench replay --mode keyword', does: 'What would be found by words alone.' },
    { line: `lamina bench replay --ranking '{"sessions":false}' --json -`, does: 'The whole report, for a program.' },
  ],
  notes: [
    'Asks searches again that were recorded (search with record: true), by other settings or after an upgrade, and tells what',
    'moved. Memory is only looked at: no access is counted and no receipt is kept.',
  ].join('\n'),
};

/** Throws a usage error. */
export function replayFlags(given: Given): ReplayFlags {
  const mode = MODES.find((each) => each === given.value('mode'));
  const threshold = thresholdFrom(given);
  return {
    receipts: given.value('receipts'),
    database: databaseGiven(given),
    principal: principalFrom(given),
    ranking: rankingFrom(given),
    changes: { ...(mode && { mode }), ...(threshold !== undefined && { threshold }) },
    k: countFrom(given, 'k', 1, MAX_K) ?? DEFAULT_K,
    json: given.value('json'),
  };
}

function rankingFrom(given: Given): Partial<Ranking> {
  const ranking = objectFrom(given, 'ranking', '{"sessions":false}') ?? {};
  for (const [name, value] of Object.entries(ranking)) {
    if (!Object.hasOwn(DEFAULT_RANKING, name)) {
      const nearest = didYouMean(name, Object.keys(DEFAULT_RANKING));
      throw usageError(`There is no "${name}" in a ranking.${nearest}`, given.command);
    }
    const expected = typeof DEFAULT_RANKING[name as keyof Ranking];
    if (typeof value !== expected) throw usageError(`"${name}" of --ranking has to be a ${expected}.`, given.command);
  }
  return ranking;
}

function thresholdFrom(given: Given): number | undefined {
  const value = numberFrom(given, 'threshold');
  if (value === undefined || (value >= 0 && value <= 1)) return value;
  throw usageError('--threshold accepts a number from 0 to 1.', given.command);
}
