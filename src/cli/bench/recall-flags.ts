/** The flags of `lamina bench recall`. */

import { DATABASE_ADDRESSES, databaseAddress } from '../../compose/database-address.ts';
import { didYouMean } from '../../compose/nearest-name.ts';
import { readFlagValues, usageError } from '../command.ts';
import { DATASETS, type DatasetName } from './recall-dataset.ts';
import { DEFAULT_MODES, MODE_NAMES, RECALL_MODES, type RecallMode } from './recall-mode.ts';

const COMMAND = 'bench';

/** Of a search. */
const MAX_CUT = 100;
const DEFAULT_CUTS = [1, 5, 10, 25, 50];
const EMBEDDERS = ['local', 'openai'];

const FLAGS = ['dataset', 'k', 'mode', 'categories', 'limit-conversations', 'json', 'database', 'embedder', 'resume'];

export interface RecallFlags {
  readonly dataset: DatasetName;
  readonly file: string;
  /** Ascending. */
  readonly cuts: readonly number[];
  readonly modes: readonly RecallMode[];
  /** As they were named. */
  readonly categories: readonly string[] | undefined;
  readonly conversations: number | undefined;
  /** A file, or `-`. */
  readonly json: string | undefined;
  readonly database: string | undefined;
  readonly embedder: string;
  readonly resume: string | undefined;
}

export function recallHelp(): readonly string[] {
  const modes = MODE_NAMES.map((mode) => `                         ${mode.padEnd(10)}${RECALL_MODES[mode].title}`);
  return [
    'Usage: lamina bench recall --dataset NAME FILE [flags]',
    '',
    '  --dataset              What FILE is: locomo or longmemeval, as they are published',
    `  --k                    How many results are looked at. Default: ${DEFAULT_CUTS.join(',')}; at most ${MAX_CUT}`,
    `  --mode                 What is put side by side, or all. Default: ${DEFAULT_MODES.join(',')}`,
    ...modes,
    '  --categories           Only these, by name or number. Default: all',
    '  --limit-conversations  Only the first so many',
    '  --json                 Write the report as JSON to a file, or with - to the standard output instead of the tables',
    `  --database             Where to remember it: ${DATABASE_ADDRESSES}.`,
    '                         A tenant of its own, erased in the end. Default: SQLite in a temporary folder',
    '  --embedder             local or openai (as configured by LAMINA_OPENAI_BASE_URL, …). Default: local',
    '  --resume               A folder in which what is done is kept. The same command goes on there after an interruption',
    '',
    'Remembers each conversation by episodic.log as the memory of one user, asks every question by search with the default',
    'settings, and tells how much of what answers it was found. Nothing leaves this machine with the local embedder.',
  ];
}

/** Throws a usage error. */
export function recallFlags(args: readonly string[]): RecallFlags {
  const { file, rest } = withoutFile(args);
  const values = readFlagValues(COMMAND, rest, FLAGS);
  if (file === undefined) throw usageError('Name the file of the data set.', COMMAND);
  const database = values.get('database');
  if (database !== undefined && databaseAddress(database) === undefined) {
    throw usageError(`--database accepts ${DATABASE_ADDRESSES}.`, COMMAND);
  }
  const embedder = values.get('embedder') ?? 'local';
  if (!EMBEDDERS.includes(embedder)) throw usageError('--embedder accepts local or openai.', COMMAND);
  return {
    dataset: datasetFrom(values.get('dataset')),
    file,
    cuts: cutsFrom(values.get('k')),
    modes: modesFrom(values.get('mode')),
    categories: listOf(values.get('categories')),
    conversations: numberFrom(values.get('limit-conversations')),
    json: values.get('json'),
    database,
    embedder,
    resume: values.get('resume'),
  };
}

/** The one word that is neither a flag nor its value; `--json -` is told as one word, because a dash looks like a flag. */
function withoutFile(args: readonly string[]): { file: string | undefined; rest: string[] } {
  const rest: string[] = [];
  let file: string | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string;
    const next = args[index + 1];
    const takesNext = FLAGS.includes(arg.slice(2)) && arg.startsWith('--') && next !== undefined;
    if (takesNext) {
      rest.push(...(next === '-' ? [`${arg}=-`] : [arg, next]));
      index += 1;
    } else if (!arg.startsWith('-') && file === undefined) file = arg;
    else rest.push(arg);
  }
  return { file, rest };
}

function datasetFrom(text: string | undefined): DatasetName {
  const names = Object.keys(DATASETS) as DatasetName[];
  const name = names.find((each) => each === text);
  if (name !== undefined) return name;
  const problem = text === undefined ? '--dataset is missing' : `There is no data set "${text}"`;
  throw usageError(`${problem}: ${names.join(' or ')}.${didYouMean(text ?? '', names)}`, COMMAND);
}

function cutsFrom(text: string | undefined): readonly number[] {
  const cuts = listOf(text)?.map(Number) ?? DEFAULT_CUTS;
  if (cuts.every((cut) => Number.isInteger(cut) && cut >= 1 && cut <= MAX_CUT)) {
    return [...new Set(cuts)].toSorted((a, b) => a - b);
  }
  throw usageError(`--k accepts whole numbers from 1 to ${MAX_CUT}, such as 5,10.`, COMMAND);
}

function modesFrom(text: string | undefined): readonly RecallMode[] {
  if (text === 'all') return MODE_NAMES;
  const names = listOf(text);
  if (names === undefined) return DEFAULT_MODES;
  const unknown = names.find((name) => !Object.hasOwn(RECALL_MODES, name));
  if (unknown === undefined) return MODE_NAMES.filter((mode) => names.includes(mode));
  throw usageError(`There is no mode "${unknown}".${didYouMean(unknown, MODE_NAMES)}`, COMMAND);
}

function numberFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw usageError('--limit-conversations accepts a whole number from 1.', COMMAND);
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}
