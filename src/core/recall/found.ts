/** What a search has found: candidates with their scores. Hundreds are found and few are shown, so that each is little. */

import type { Signals } from '../../domain/recall.ts';
import type { Layer } from '../../domain/scope.ts';
import type { Candidate } from '../../ports/entry-store.ts';
import type { PastCandidate } from './as-of-candidates.ts';
import type { Ranked } from './merge.ts';
import { scoreOf, scoreOfSum, type Weights } from './score.ts';
import type { SignalTable } from './signal-table.ts';

/** Tells what speaks for a candidate, by its index. */
type Told = Pick<SignalTable, 'at'>;

export class Found implements Ranked {
  readonly candidate: Candidate;
  readonly score: number;
  /** As which it was found, where it was changed since the moment that was asked about. */
  readonly past: Omit<PastCandidate, 'candidate'> | undefined;
  readonly #told: Told;
  readonly #index: number;

  constructor(candidate: Candidate, score: number, told: Told, index: number, past: Found['past']) {
    this.candidate = candidate;
    this.score = score;
    this.past = past;
    this.#told = told;
    this.#index = index;
  }

  get id(): string {
    return this.candidate.id;
  }

  get layer(): Layer {
    return this.candidate.layer;
  }

  get contentHash(): string {
    return this.candidate.contentHash;
  }

  /** Made for whoever asks. */
  signals(): Signals {
    return this.#told.at(this.#index);
  }

  /** The same with more to be said for it, or against it. */
  with(more: Partial<Signals>, weights: Weights): Found {
    const signals = { ...this.signals(), ...more };
    return new Found(this.candidate, scoreOf(signals, weights), { at: () => signals }, this.#index, this.past);
  }
}

/** `earlier` are the last of all. */
export function foundOf(
  all: readonly Candidate[],
  earlier: readonly PastCandidate[],
  signals: SignalTable,
  weights: Weights,
): Found[] {
  const sums = signals.sums(weights);
  const now = all.length - earlier.length;
  return all.map(
    (candidate, index) =>
      new Found(
        candidate,
        scoreOfSum(Number(sums[index])),
        signals,
        index,
        index < now ? undefined : earlier[index - now],
      ),
  );
}
