/** The flags of `lamina bench recall`. */

import { DATABASE_ADDRESSES, databaseAddress } from '../../compose/database-address.ts';
import { didYouMean } from '../../compose/nearest-name.ts';
import { usageError, type Command, type Given } from '../command.ts';
import { databaseFlags, databaseGiven } from '../database-flags.ts';
import { countFrom, listFrom } from '../flag-values.ts';
import { DATASETS, type DatasetName } from './recall-dataset.ts';
import { DEFAULT_MODES, MODE_NAMES, RECALL_MODES, type RecallMode } from './recall-mode.ts';

/** Of a search. */
const MAX_CUT = 100;
const DEFAULT_CUTS = [1, 5, 10, 25, 50];
const EMBEDDERS = ['local', 'openai'];

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

const DATASET_NAMES = Object.keys(DATASETS) as DatasetName[];

const MODES_TOLD = MODE_NAMES.map((mode) => `${mode} (${RECALL_MODES[mode].title})`).join(', ');

export const RECALL_COMMAND: Command = {
  name: 'recall',
  summary: 'How much of what answers a question is found, on a public data set.',
  parameters: [{ name: 'FILE', description: 'The file of the data set, as it is published' }],
  flags: [
    { name: 'dataset', value: 'NAME', required: true, choices: DATASET_NAMES, description: 'What FILE is' },
    {
      name: 'k',
      value: 'LIST',
      description: `How many results are looked at, at most ${MAX_CUT}`,
      fallback: DEFAULT_CUTS.join(','),
    },
    {
      name: 'mode',
      value: 'LIST',
      description: `What is put side by side, or all: ${MODES_TOLD}`,
      fallback: DEFAULT_MODES.join(','),
    },
    { name: 'categories', value: 'LIST', description: 'Only these, by name or number', fallback: 'all' },
    { name: 'limit-conversations', value: 'N', description: 'Only the first so many' },
    {
      name: 'json',
      value: 'FILE',
      description: 'Write the report as JSON to a file, or with - to the standard output instead of the tables',
    },
    ...databaseFlags({
      value: 'ADDRESS',
      description: `Where to remember it: ${DATABASE_ADDRESSES}. A tenant of its own, erased in the end`,
      fallback: 'SQLite in a temporary folder',
    }),
    {
      name: 'embedder',
      value: 'NAME',
      choices: EMBEDDERS,
      description: 'What makes the vectors; openai is as configured by LAMINA_OPENAI_BASE_URL',
      fallback: 'local',
    },
    {
      name: 'resume',
      value: 'FOLDER',
      description: 'Where what is done is kept. The same command goes on there after an interruption',
    },
  ],
  examples: [
    { line: 'lamina bench recall --dataset locomo locomo10.json', does: 'All of it, with the default settings.' },
    {
      line: 'lamina bench recall --dataset longmemeval longmemeval_s.json --resume run --k 10',
      does: 'Can be interrupted, and then goes on.',
    },
  ],
  notes: [
    'Remembers each conversation by episodic.log as the memory of one user, asks every question by search with the default',
    'settings, and tells how much of what answers it was found. Nothing leaves this machine with the local embedder.',
  ].join('\n'),
};

/** Throws a usage error. */
export function recallFlags(given: Given): RecallFlags {
  const database = databaseGiven(given);
  if (database !== undefined && databaseAddress(database) === undefined) {
    throw usageError(`--database accepts ${DATABASE_ADDRESSES}.`, given.command);
  }
  return {
    dataset: datasetFrom(given),
    file: given.words[0] ?? '',
    cuts: cutsFrom(given),
    modes: modesFrom(given),
    categories: listFrom(given, 'categories'),
    conversations: countFrom(given, 'limit-conversations', 1),
    json: given.value('json'),
    database,
    embedder: given.value('embedder') ?? 'local',
    resume: given.value('resume'),
  };
}

function datasetFrom(given: Given): DatasetName {
  return DATASET_NAMES.find((each) => each === given.value('dataset')) ?? 'locomo';
}

function cutsFrom(given: Given): readonly number[] {
  const cuts = listFrom(given, 'k')?.map(Number) ?? DEFAULT_CUTS;
  if (cuts.every((cut) => Number.isInteger(cut) && cut >= 1 && cut <= MAX_CUT)) {
    return [...new Set(cuts)].toSorted((a, b) => a - b);
  }
  throw usageError(`--k accepts whole numbers from 1 to ${MAX_CUT}, such as 5,10.`, given.command);
}

function modesFrom(given: Given): readonly RecallMode[] {
  const names = listFrom(given, 'mode');
  if (names === undefined) return DEFAULT_MODES;
  if (names.length === 1 && names[0] === 'all') return MODE_NAMES;
  const unknown = names.find((name) => !Object.hasOwn(RECALL_MODES, name));
  if (unknown === undefined) return MODE_NAMES.filter((mode) => names.includes(mode));
  throw usageError(`There is no mode "${unknown}".${didYouMean(unknown, MODE_NAMES)}`, given.command);
}
