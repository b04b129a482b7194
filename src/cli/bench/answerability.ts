/** Whether scores tell when an answer is not there: the best score of questions with an answer against those without. */

import { z } from 'zod';
import { DEFAULT_THRESHOLD } from '../../domain/recall.ts';
import type { AskedQuestion } from './recall-result.ts';

const share = z.number().min(0).max(1);

const groupSchema = z.strictObject({
  questions: z.int().min(0),
  auroc: share
    .nullable()
    .describe('How often a question with an answer has the better best score; null without either.'),
  kept: share.describe('Share of these whose best result passes the default threshold.'),
});

const pointSchema = z.strictObject({
  threshold: share,
  answerable: share.describe('Share of questions with an answer of which anything is left.'),
  unanswerable: z.record(z.string(), share).describe('The same of those without, by kind.'),
  recall10: share.describe('Share of the evidence that is among the first ten and passes.'),
});

export const answerabilitySchema = z.strictObject({
  threshold: share.describe('The default one.'),
  answerable: z.strictObject({ questions: z.int().min(0), kept: share }),
  unanswerable: z.record(z.string(), groupSchema),
  curve: z.array(pointSchema),
  best: z
    .strictObject({ threshold: share, answerable: share, unanswerable: share })
    .nullable()
    .describe('Where the two are farthest apart, all kinds together; null without either.'),
});

export type Answerability = z.output<typeof answerabilitySchema>;

/** The kind of those that are about another conversation; others are called by their category. */
export const FOREIGN = 'of another conversation';

const CURVE_STEPS = 20;
const BEST_STEPS = 100;
const TOP = 10;

export function answerabilityOf(questions: readonly AskedQuestion[]): Answerability {
  const [answerable, unanswerable] = [
    questions.filter(({ isAnswerable }) => isAnswerable),
    questions.filter(({ isAnswerable }) => !isAnswerable),
  ];
  const own = answerable.map(({ topScore }) => topScore);
  const kinds = [...Map.groupBy(unanswerable, ({ isForeign, category }) => (isForeign ? FOREIGN : category))]
    .map(([kind, some]) => [kind, some.map(({ topScore }) => topScore)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    threshold: DEFAULT_THRESHOLD,
    answerable: { questions: own.length, kept: keptOf(own, DEFAULT_THRESHOLD) },
    unanswerable: Object.fromEntries(
      kinds.map(([kind, scores]) => [
        kind,
        { questions: scores.length, auroc: auroc(own, scores), kept: keptOf(scores, DEFAULT_THRESHOLD) },
      ]),
    ),
    curve: steps(CURVE_STEPS).map((threshold) => ({
      threshold,
      answerable: keptOf(own, threshold),
      unanswerable: Object.fromEntries(kinds.map(([kind, scores]) => [kind, keptOf(scores, threshold)])),
      recall10: recallAbove(answerable, threshold),
    })),
    best: bestOf(
      own,
      unanswerable.map(({ topScore }) => topScore),
    ),
  };
}

/** The chance that one of the former is above one of the latter; ties count half. Null where there are none. */
export function auroc(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  const sorted = negatives.toSorted((a, b) => a - b);
  const sum = positives.reduce(
    (wins, score) => wins + (countBelow(sorted, score, false) + countBelow(sorted, score, true)) / 2,
    0,
  );
  return sum / (positives.length * negatives.length);
}

/** How many of the sorted values are below, or not above where `orEqual`. */
function countBelow(sorted: readonly number[], limit: number, orEqual: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle] as number;
    if (value < limit || (orEqual && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keptOf(scores: readonly number[], threshold: number): number {
  return scores.filter((score) => score >= threshold).length / Math.max(1, scores.length);
}

function recallAbove(answerable: readonly AskedQuestion[], threshold: number): number {
  const shares = answerable.flatMap(({ scores, answers }) => {
    const ranks = answers.default?.turns ?? [];
    if (ranks.length === 0) return [];
    const isKept = (rank: number | null, place: number): boolean =>
      rank !== null && rank <= TOP && (scores[place] ?? 0) >= threshold;
    return [ranks.filter(isKept).length / ranks.length];
  });
  return shares.reduce((sum, one) => sum + one, 0) / Math.max(1, shares.length);
}

function bestOf(positives: readonly number[], negatives: readonly number[]): Answerability['best'] {
  if (positives.length === 0 || negatives.length === 0) return null;
  return steps(BEST_STEPS)
    .map((threshold) => ({
      threshold,
      answerable: keptOf(positives, threshold),
      unanswerable: keptOf(negatives, threshold),
    }))
    .reduce((best, one) => (one.answerable - one.unanswerable > best.answerable - best.unanswerable ? one : best));
}

function steps(count: number): number[] {
  return Array.from({ length: count }, (_, step) => step / count);
}
