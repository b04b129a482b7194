/**
 * What the scores of a reranker mean. One model gives 0.4 to what answers a question and another to what does not: so each is
 * asked a few questions whose answers are known, and its scores are read by what it said of those.
 */

import { LaminaError } from '../../domain/error.ts';

/** Each is answered by the text at its own place, and by no other. */
const QUESTIONS = [
  'Where does the sailing boat lie in winter?',
  'Who repaired the kitchen window?',
  'Which train goes to the mountains on Sundays?',
] as const;

const TEXTS = [
  'In winter the sailing boat lies in a shed by the river.',
  'The kitchen window was repaired by our neighbour, who is a glazier.',
  'On Sundays the train at nine goes to the mountains.',
  'Bread keeps longer when it is wrapped in a cloth.',
  'The invoice was paid two days after it had come.',
  'She learned to play the cello when she was thirty.',
] as const;

/** Nearer to 0 or 1 than this no score says more. */
const EPSILON = 1e-6;

/** So much of a signal what answers a question gets on average; what does not gets as little. */
const ANSWERS_GET = 0.95;

/** The least distance, in log odds, between the scores of answers and of others. */
const LEAST_DISTANCE = 0.25;

export interface RerankScale {
  /** Log odds of the score between those of answers and those of others. */
  readonly middle: number;
  readonly steepness: number;
}

export type Score = (query: string, texts: readonly string[]) => Promise<readonly number[]>;

/** Throws what `score` throws, and `CONFIGURATION_ERROR` for a model that cannot tell answers from others. */
export async function measureScale(score: Score): Promise<RerankScale> {
  const scores = await Promise.all(QUESTIONS.map((question) => score(question, TEXTS)));
  const related = scores.map((row, at) => logOdds(row[at] ?? 0));
  const unrelated = scores.flatMap((row, at) => row.filter((_, index) => index !== at).map(logOdds));
  return scaleOf(related, unrelated);
}

function scaleOf(related: readonly number[], unrelated: readonly number[]): RerankScale {
  const [high, low] = [mean(related), mean(unrelated)];
  if (!(high - low >= LEAST_DISTANCE)) {
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'The reranker scores texts that answer a question no higher than others. Check the name of its model.',
    );
  }
  return { middle: (high + low) / 2, steepness: (2 * logOdds(ANSWERS_GET)) / (high - low) };
}

/** What a score says, between 0 and 1: 0.5 where it stands between answers and others. */
export function signalOf(score: number, { middle, steepness }: RerankScale): number {
  return 1 / (1 + Math.exp(-steepness * (logOdds(score) - middle)));
}

function logOdds(score: number): number {
  const bounded = Math.min(1 - EPSILON, Math.max(EPSILON, score));
  return Math.log(bounded / (1 - bounded));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
