/** Turns that say more by themselves than with what stands around them: such a turn counts as a note that says the same. */

import { shiftOf, signalAs, type Weights } from './score.ts';
import type { SignalTable } from './signal-table.ts';

/** Up to so many turns, chance finds as little as among notes; from so many on, as much as in long conversations. */
const FEW_TURNS = 32;
const MANY_TURNS = 256;

/** So much more evidence it takes among many turns: what chance finds best grows with the logarithm of their number. */
const CHANCE = 2;

/** What has less to say for itself keeps the place that it has among the others. */
const LEAST_EVIDENCE = 0;

/** What is known of every entry; and of a turn who said it, when, and whether it only asks, which it does alone as well. */
const KEPT = ['recency', 'importance', 'confidence', 'speaker', 'time', 'asks'] as const;

/** How much chance has to do with what is found among so many turns: 0 for few, 1 for many, and more for more. */
export function crowdingOf(turns: number): number {
  return Math.max(0, Math.log(turns / FEW_TURNS) / Math.log(MANY_TURNS / FEW_TURNS));
}

/** The words and the meaning of a turn, without those around it. */
export interface Alone {
  readonly text: number;
  readonly vector: number;
}

/** `aloneOf` tells them by the index of a turn, and nothing of what is no turn or cannot answer anything. */
export function countAlone(
  signals: SignalTable,
  weights: Weights,
  crowding: number,
  aloneOf: (index: number) => Alone | undefined,
): void {
  const sums = signals.sums(weights);
  const chance = -CHANCE * crowding;
  const kept = KEPT.map((name) => ({ name, column: signals.column(name) }));
  for (let index = 0; index < sums.length; index += 1) {
    const alone = aloneOf(index);
    if (alone === undefined) continue;
    let evidence = weights.bias + weights.text * alone.text + weights.vector * alone.vector + chance;
    for (const { name, column } of kept) {
      const signal = column?.[index] ?? Number.NaN;
      if (!Number.isNaN(signal)) evidence += shiftOf(name, signal);
    }
    if (evidence < LEAST_EVIDENCE || evidence <= Number(sums[index])) continue;
    signals.keepOnly(index, KEPT);
    signals.set(index, { ...alone, best: signalAs('best', chance) });
  }
}
