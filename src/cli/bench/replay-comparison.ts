/** What moved between a recorded search and the same search asked again. Pure. */

import type { RecallReceipt, StoredCandidate, StoredReceipt } from '../../domain/recall-receipt.ts';
import type { Signals } from '../../domain/recall.ts';

/** One side of a comparison; null where the memory was not looked at, or too far down to be told. */
export interface Standing {
  /** From 1; null for what was not among the first results. */
  readonly place: number | null;
  readonly score: number;
  readonly signals: Signals;
}

export interface Movement {
  readonly memoryId: string;
  readonly before: Standing | null;
  readonly after: Standing | null;
}

/** How much of what somebody marked as right is among the first results, and one over the place of the first of it. */
export interface Hits {
  readonly recall: number;
  readonly reciprocalRank: number;
}

export interface Comparison {
  readonly receiptId: string;
  readonly query: string;
  /** The share of the first results that is the same, 0 to 1. */
  readonly overlap: number;
  /** By how many places what is in both moved, on average; null where nothing is. */
  readonly rankShift: number | null;
  readonly cameIn: readonly Movement[];
  readonly wentOut: readonly Movement[];
  /** In both, at another place. */
  readonly moved: readonly Movement[];
  /** Results of then that are not there any more, and results of now that were not there yet: neither is counted. */
  readonly goneIds: readonly string[];
  readonly newIds: readonly string[];
  /** Null where nothing was marked, or nothing of it is there. */
  readonly marked: { readonly before: Hits; readonly after: Hits } | null;
}

/** Of the first `k` results, or of as many as were asked for. `newIds` were not there when it was recorded. */
export function compareReceipts(
  before: RecallReceipt,
  after: StoredReceipt,
  newIds: ReadonlySet<string>,
  k: number,
): Comparison {
  const goneIds = new Set(before.candidates.filter(({ gone }) => gone).map(({ memoryId }) => memoryId));
  const then = firstOf(before.candidates, k);
  const now = firstOf(after.candidates, k);
  const old = then.filter((id) => !goneIds.has(id));
  const current = now.filter((id) => !newIds.has(id));
  const both = old.filter((id) => current.includes(id));
  const movementOf = (memoryId: string): Movement => ({
    memoryId,
    before: standingOf(before.candidates, memoryId, k),
    after: standingOf(after.candidates, memoryId, k),
  });
  const movements = both.map(movementOf);
  return {
    receiptId: before.receiptId,
    query: before.asked.query,
    overlap: old.length + current.length === 0 ? 1 : both.length / Math.max(old.length, current.length),
    rankShift: movements.length === 0 ? null : mean(movements.map(shiftOf)),
    cameIn: current.filter((id) => !old.includes(id)).map(movementOf),
    wentOut: old.filter((id) => !current.includes(id)).map(movementOf),
    moved: movements.filter((movement) => shiftOf(movement) > 0),
    goneIds: then.filter((id) => goneIds.has(id)),
    newIds: now.filter((id) => newIds.has(id)),
    marked: markedOf(before.relevantIds ?? [], goneIds, then, now),
  };
}

function markedOf(
  relevantIds: readonly string[],
  goneIds: ReadonlySet<string>,
  then: readonly string[],
  now: readonly string[],
): Comparison['marked'] {
  const relevant = relevantIds.filter((id) => !goneIds.has(id));
  return relevant.length === 0 ? null : { before: hitsOf(then, relevant), after: hitsOf(now, relevant) };
}

function hitsOf(ids: readonly string[], relevant: readonly string[]): Hits {
  const first = ids.findIndex((id) => relevant.includes(id));
  return {
    recall: relevant.filter((id) => ids.includes(id)).length / relevant.length,
    reciprocalRank: first === -1 ? 0 : 1 / (first + 1),
  };
}

function firstOf(candidates: readonly StoredCandidate[], k: number): string[] {
  return candidates.filter(({ place }) => place !== null && place <= k).map(({ memoryId }) => memoryId);
}

function standingOf(candidates: readonly StoredCandidate[], memoryId: string, k: number): Standing | null {
  const found = candidates.find((candidate) => candidate.memoryId === memoryId);
  if (found === undefined) return null;
  const { place, score, signals } = found;
  return { place: place !== null && place <= k ? place : null, score, signals };
}

function shiftOf({ before, after }: Movement): number {
  return Math.abs((before?.place ?? 0) - (after?.place ?? 0));
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
