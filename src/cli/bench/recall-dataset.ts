/** The data sets that recall is measured on, by name, and reading a file of one. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';
import { LOCOMO_CATEGORIES, readLocomo } from './locomo.ts';
import { readLongMemEval } from './longmemeval.ts';
import type { RecallCase, RecallTurn } from './recall-case.ts';

interface Format {
  readonly title: string;
  readonly read: (json: unknown) => RecallCase[];
  /** Other names of its categories. */
  readonly categories: Readonly<Record<string, string>>;
}

export const DATASETS = {
  locomo: { title: 'LoCoMo', read: readLocomo, categories: LOCOMO_CATEGORIES },
  longmemeval: { title: 'LongMemEval', read: readLongMemEval, categories: {} },
} as const satisfies Record<string, Format>;

export type DatasetName = keyof typeof DATASETS;

export interface Dataset {
  readonly name: DatasetName;
  /** Of the file: by it runs are known to be about the same data. */
  readonly sha256: string;
  readonly cases: readonly RecallCase[];
}

/** Throws `NOT_FOUND` where there is no such file, and `VALIDATION_FAILED` where it holds something else. */
export async function readDataset(name: DatasetName, file: string): Promise<Dataset> {
  const text = await textOf(file);
  const cases = parse(name, file, jsonOf(file, text)).map(withoutSilence);
  const twice = cases.find(({ name: one }, index) => cases.findIndex((other) => other.name === one) !== index);
  if (twice) throw wrong(name, file, `two conversations are called "${twice.name}"`);
  if (!cases.some(({ questions }) => questions.length > 0)) throw wrong(name, file, 'there are no questions in it');
  return { name, sha256: createHash('sha256').update(text).digest('hex'), cases };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_FS_FILE_TOO_LARGE' || code === 'ERR_STRING_TOO_LONG') {
      throw new LaminaError('LIMIT_EXCEEDED', `"${file}" is too large to be read at once. Cut it into parts.`, {
        cause,
      });
    }
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
  }
}

function jsonOf(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LaminaError('VALIDATION_FAILED', `"${file}" is not JSON.`, { cause });
  }
}

function parse(name: DatasetName, file: string, json: unknown): RecallCase[] {
  try {
    return DATASETS[name].read(json);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [first] = error.issues;
    const where = first === undefined || first.path.length === 0 ? '' : ` at ${z.core.toDotPath(first.path)}`;
    throw wrong(name, file, `${first?.message ?? 'nothing fits'}${where}`);
  }
}

function wrong(name: DatasetName, file: string, problem: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', `"${file}" is not a file of ${DATASETS[name].title}: ${problem}.`);
}

/** Who says nothing has said nothing that could be remembered, or be evidence. */
function withoutSilence(one: RecallCase): RecallCase {
  const isSaid = ({ text }: RecallTurn): boolean => text.trim() !== '';
  if (one.turns.every(isSaid)) return one;
  const turns = one.turns.filter(isSaid);
  const ids = new Set(turns.map(({ id }) => id));
  const questions = one.questions.map((question) => ({
    ...question,
    evidence: question.evidence.filter((id) => ids.has(id)),
  }));
  return { ...one, turns, questions };
}
