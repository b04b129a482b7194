/** From signals to one score between 0 and 1. */

import type { Evidence, Signals } from '../../domain/recall.ts';
import type { Calibration } from '../../ports/embedder.ts';
import type { Likely } from '../../ports/entry-store.ts';

/** Deviations above the similarity of unrelated texts at which the signal begins to level off. */
const LEVELLING_DEVIATIONS = 6;

/** What carries a memory: words and meaning. What they weigh depends on what is searched. */
export interface Weights {
  readonly bias: number;
  readonly text: number;
  readonly vector: number;
}

/**
 * The score is a logistic of a weighted sum, so that each signal adds to the evidence, and either words or meaning can
 * carry a memory alone. Measured on long conversations; with these biases nine in ten of the turns that answer a question
 * stand above the default threshold, unrelated ones below.
 */
export const WEIGHTS: { readonly [mode in 'hybrid' | 'keyword' | 'semantic']: Weights } = {
  hybrid: { bias: -2, text: 8, vector: 5 },
  keyword: { bias: -0.5, text: 8, vector: 0 },
  semantic: { bias: -2, text: 0, vector: 5 },
};

/** A signal of 1 more adds `weight`; one that is `neutral` adds nothing. */
export interface Shift {
  readonly name: keyof typeof SHIFTS;
  readonly weight: number;
  readonly neutral: number;
}

/** Of `best`, which lies between none and ample: from here on a question counts as answered. */
export const SOME_EVIDENCE = 0.85;

/**
 * What shifts a score: so much for a signal of 1 more, and nothing at the neutral value. Those of conversations are centred so
 * that who is named, when it was and how it is said sort what words and meaning have found, and never make a result alone.
 * Relevance, where decay is on, only takes away: as two thirds of it are lost, a score of 0.8 becomes one of 0.5.
 */
const SHIFTS = {
  // Shared by all results of a search: takes much away where nothing speaks for any of them, and lifts all where something does.
  best: { weight: 12, neutral: SOME_EVIDENCE },
  speaker: { weight: 3, neutral: 1 },
  session: { weight: 3, neutral: 0.2 },
  time: { weight: 4, neutral: 0.5 },
  when: { weight: 1.5, neutral: 0.5 },
  asks: { weight: -0.6, neutral: 0 },
  fits: { weight: 1.2, neutral: 0.5 },
  substance: { weight: 2, neutral: 0.4 },
  recency: { weight: 0.1, neutral: 0 },
  importance: { weight: 0.6, neutral: 0.5 },
  confidence: { weight: 1, neutral: 1 },
  relevance: { weight: 2, neutral: 1 },
  // Read by the scale of the model, 0.5 is where nothing is known. It decides among what words and meaning have found.
  rerank: { weight: 6, neutral: 0.5 },
} as const satisfies Partial<Record<keyof Signals, { weight: number; neutral: number }>>;

/** In the order in which they are added up. */
export const SHIFTING: readonly Shift[] = Object.entries(SHIFTS).map(([name, shift]) => ({
  name: name as keyof typeof SHIFTS,
  ...shift,
}));

/** Turns that follow one another are so many deviations more alike than unrelated texts. */
const KIN_DEVIATIONS = 3;

/** The similarity that two turns have which follow one another, under this model. */
export function kinshipOf({ mean, deviation }: Calibration): number {
  return mean + KIN_DEVIATIONS * deviation;
}

/** Digits behind these depend on how an engine adds up products, in 32 bits or in 64: what is alike for one is alike for all. */
const STEPS = 1e5;

/** How far above chance a similarity is: 0 for unrelated texts under this model, towards 1 for texts that say the same. */
export function aboveChance(similarity: number, { mean, deviation }: Calibration): number {
  const above = Math.round((similarity - mean) * STEPS) / STEPS;
  return Math.max(0, Math.tanh(above / (LEVELLING_DEVIATIONS * deviation)));
}

/** A little is asked for beyond the limit, because what is recent, or says the same as another, is not weighed here. */
const LIKELY_MARGIN = 5;

/** Nobody waits longer for whole entries than for asking once more. */
const MAX_LIKELY = 40;

/** Roughly how a search of what is no conversation ranks: to tell whoever looks for candidates which of them are going to be shown. */
export function likelyBy({ text, vector }: Weights, calibration: Calibration | undefined, limit: number): Likely {
  const { mean, deviation } = calibration ?? { mean: 0, deviation: 1 };
  return {
    count: limit + LIKELY_MARGIN > MAX_LIKELY ? 0 : limit + LIKELY_MARGIN,
    words: text,
    meaning: vector,
    mean,
    spread: LEVELLING_DEVIATIONS * deviation,
    importance: SHIFTS.importance.weight,
    confidence: SHIFTS.confidence.weight,
  };
}

/** What each signal adds; see {@link scoreOf}. */
export function evidenceOf(signals: Signals, { bias, text, vector }: Weights): Evidence {
  const evidence: Evidence = {
    bias,
    text: text * signals.text,
    vector: vector * signals.vector,
  };
  for (const { name, weight, neutral } of SHIFTING) {
    const signal = signals[name];
    // Zero has no sign in JSON.
    if (signal !== undefined) evidence[name] = weight * (signal - neutral) + 0;
  }
  return evidence;
}

export function scoreOf(signals: Signals, weights: Weights): number {
  return scoreOfSum(sumOf(signals, weights));
}

/** All evidence together makes the score. */
export function scoreOfSum(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}

/** As {@link SignalTable.sums} does it for many. */
function sumOf(signals: Signals, { bias, text, vector }: Weights): number {
  let sum = bias + text * signals.text + vector * signals.vector;
  for (const { name, weight, neutral } of SHIFTING) {
    const signal = signals[name];
    if (signal !== undefined) sum += weight * (signal - neutral);
  }
  return sum;
}

/** What a signal of this value adds, or takes away. */
export function shiftOf(name: Shift['name'], signal: number): number {
  const { weight, neutral } = SHIFTS[name];
  return weight * (signal - neutral);
}

/** The signal that adds so much. */
export function signalAs(name: Shift['name'], shift: number): number {
  const { weight, neutral } = SHIFTS[name];
  return neutral + shift / weight;
}

/** How much more a turn is worth whose speaker is meant. */
export const SPEAKER_WEIGHT: number = SHIFTS.speaker.weight;
