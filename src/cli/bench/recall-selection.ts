/** Which conversations and questions of a data set a run is about, and which questions are put to the wrong conversation. */

import { didYouMean } from '../../compose/nearest-name.ts';
import { usageError } from '../command.ts';
import type { RecallCase, RecallQuestion } from './recall-case.ts';
import { DATASETS, type Dataset } from './recall-dataset.ts';

export interface Selected {
  readonly cases: readonly RecallCase[];
  /** Of the questions, in alphabetical order. */
  readonly categories: readonly string[];
}

/** Throws a usage error for a category that there is not. */
export function selectCases(
  { name, cases }: Dataset,
  wanted: readonly string[] | undefined,
  conversations: number | undefined,
): Selected {
  const known = categoriesOf(cases);
  const aliases: Readonly<Record<string, string>> = DATASETS[name].categories;
  const chosen = new Set(
    wanted?.map((text) => {
      const category = aliases[text] ?? text;
      if (known.includes(category)) return category;
      throw usageError(`There is no category "${text}": ${known.join(', ')}.${didYouMean(text, known)}`, 'bench');
    }) ?? known,
  );
  const some = cases
    .slice(0, conversations)
    .map((one) => ({ ...one, questions: one.questions.filter(({ category }) => chosen.has(category)) }))
    .filter(({ questions }) => questions.length > 0);
  return { cases: some, categories: categoriesOf(some) };
}

function categoriesOf(cases: readonly RecallCase[]): string[] {
  return [...new Set(cases.flatMap(({ questions }) => questions.map(({ category }) => category)))].toSorted();
}

/**
 * What is asked about the conversation after this one. Questions whose evidence is also said here are left out: some data
 * sets use the same sessions again.
 */
export function foreignQuestions(cases: readonly RecallCase[], index: number): RecallQuestion[] {
  const [here, there] = [cases[index], cases[(index + 1) % cases.length]];
  if (here === undefined || there === undefined || here === there) return [];
  const said = new Set(here.turns.map(({ text }) => text));
  const textOf = new Map(there.turns.map(({ id, text }) => [id, text]));
  return there.questions.filter(
    ({ isAnswerable, evidence }) =>
      isAnswerable && evidence.length > 0 && !evidence.some((id) => said.has(textOf.get(id) ?? '')),
  );
}
