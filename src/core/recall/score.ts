/** From signals to one score between 0 and 1. */

import { RECENCY_HALF_LIFE_DAYS, recency } from '../../domain/decay.ts';
import type { Signals } from '../../domain/recall.ts';
import type { Calibration } from '../../ports/embedder.ts';
import type { Candidate } from '../../ports/entry-store.ts';

/** Deviations above the similarity of unrelated texts at which the signal begins to level off. */
const LEVELLING_DEVIATIONS = 6;

export interface Weights {
  readonly bias: number;
  readonly text: number;
  readonly vector: number;
  readonly recency: number;
  readonly importance: number;
  readonly confidence: number;
  /** Counts only where decay is on: otherwise there is no such signal. */
  readonly relevance: number;
}

/**
 * The score is a logistic of a weighted sum, so that each signal adds to the evidence, and either words or meaning can
 * carry a memory alone. Measured on long conversations: text to vector as 8 to 5 finds the most, and with these
 * biases nine in ten of the turns that answer a question stand above the default threshold, unrelated ones below.
 */
export const WEIGHTS: { readonly [mode in 'hybrid' | 'keyword' | 'semantic']: Weights } = {
  hybrid: { bias: -2, text: 8, vector: 5, recency: 0.3, importance: 0.6, confidence: 1, relevance: 2 },
  keyword: { bias: -0.5, text: 8, vector: 0, recency: 0.3, importance: 0.6, confidence: 1, relevance: 2 },
  semantic: { bias: -2, text: 0, vector: 5, recency: 0.3, importance: 0.6, confidence: 1, relevance: 2 },
};

/** How far above chance a similarity is: 0 for unrelated texts under this model, towards 1 for texts that say the same. */
export function aboveChance(similarity: number, { mean, deviation }: Calibration): number {
  return Math.max(0, Math.tanh((similarity - mean) / (LEVELLING_DEVIATIONS * deviation)));
}

export function signalsOf(candidate: Candidate, text: number, vector: number, now: number): Signals {
  return {
    text,
    vector,
    recency: recency(now - candidate.since, RECENCY_HALF_LIFE_DAYS),
    importance: candidate.importance,
    confidence: candidate.confidence,
  };
}

/**
 * Recency, importance and confidence shift a score around what an ordinary entry has; they never make one. Relevance, where
 * decay is on, only takes away: as much as two thirds of it are lost, a score of 0.8 becomes one of 0.5.
 */
export function scoreOf(signals: Signals, weights: Weights): number {
  const evidence =
    weights.bias +
    weights.text * signals.text +
    weights.vector * signals.vector +
    weights.recency * (signals.recency - 0.5) +
    weights.importance * (signals.importance - 0.5) +
    weights.confidence * (signals.confidence - 1) +
    weights.relevance * ((signals.relevance ?? 1) - 1);
  return 1 / (1 + Math.exp(-evidence));
}
