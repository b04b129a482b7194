/** When to stop comparing vectors: once the distances of the remaining codes say that they hardly matter any more. */

import type { CodeRanking } from './sqlite-code-ranking.ts';

/** Of the first quarter, and at least of the first ten, one in a hundred may be missed; of all, one in twenty. */
const FIRST_SHARE = 1 / 4;
const MIN_FIRST = 10;
const MISSED_OF_FIRST = 0.01;
const MISSED_OF_ALL = 0.05;

/** How many times as many as are wanted have to be compared, at the least. */
const MIN_MARGIN = 2;

/** In standard deviations: what is not nearer than its code says by more than this is not worth counting. */
const FARTHEST = 5;

export interface Rescored {
  readonly seq: number;
  /** Null of a vector without a direction. */
  readonly distance: number | null;
}

/**
 * Fits a line through what was compared: the distance of a vector, given that of its code. How well codes tell distances
 * depends on the model and on the query; the line and the deviation from it show that, whatever it is. Choosing by the
 * distance of codes does not bend the line, because that is what the other one is told by.
 */
export class Rescoring {
  readonly #limit: number;
  readonly #found = new Map<number, number | null>();
  /** How many were looked at, also those that do not meet the conditions. */
  looked = 0;
  #count = 0;
  #codes = 0;
  #vectors = 0;
  #codesSquared = 0;
  #products = 0;
  #vectorsSquared = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many it takes to look at, at least, as far as can be told. */
  get likelyLooks(): number {
    return this.looked * Math.max(1, (MIN_MARGIN * this.#limit) / Math.max(1, this.#count));
  }

  /** The nearest of what was compared, the nearest first. */
  get nearest(): Rescored[] {
    const farthest = this.#inOrder()[this.#limit - 1] ?? Number.POSITIVE_INFINITY;
    const found: Rescored[] = [];
    for (const [seq, distance] of this.#found) if (Number(distance) <= farthest) found.push({ seq, distance });
    return found.toSorted((a, b) => Number(a.distance) - Number(b.distance)).slice(0, this.#limit);
  }

  /** An entry that was compared, and the distance of its code; without one where that is not current. */
  add(seq: number, distance: number | null, code?: number): void {
    this.#found.set(seq, distance);
    if (code === undefined) return;
    const apart = Number(distance);
    this.#count += 1;
    this.#codes += code;
    this.#vectors += apart;
    this.#codesSquared += code * code;
    this.#products += code * apart;
    this.#vectorsSquared += apart * apart;
  }

  /** Whether what was not compared can be left alone. */
  isSettled(rest: CodeRanking): boolean {
    if (rest.next === undefined) return true;
    const distances = this.#inOrder();
    if (distances.length < this.#limit || this.#count === 0) return false;
    const first = Math.min(this.#limit, Math.max(MIN_FIRST, Math.ceil(this.#limit * FIRST_SHARE)));
    const isFew = (rank: number, share: number): boolean =>
      this.#expectedBelow(Number(distances[rank - 1]), rest) <= rank * share;
    return isFew(first, MISSED_OF_FIRST) && isFew(this.#limit, MISSED_OF_ALL);
  }

  /** How far away everything is that was compared, the nearest first. */
  #inOrder(): Float64Array {
    return Float64Array.from(this.#found.values(), Number).toSorted();
  }

  /** How many of the rest are likely to be nearer than this. */
  #expectedBelow(distance: number, rest: CodeRanking): number {
    const count = this.#count;
    const [x, y] = [this.#codes / count, this.#vectors / count];
    const spread = Math.max(0, this.#codesSquared / count - x * x);
    const slope = spread > 0 ? Math.max(0, (this.#products / count - x * y) / spread) : 0;
    const variance = this.#vectorsSquared / count - y * y - slope * slope * spread;
    const deviation = Math.sqrt(Math.max(Number.EPSILON, variance));
    let expected = 0;
    for (const [code, entries] of rest.remaining()) {
      const above = (y + slope * (code - x) - distance) / deviation;
      if (above > FARTHEST) break;
      expected += entries * chanceBeyond(above);
    }
    // As many of them as of those seen meet the conditions.
    return (expected * this.#count) / Math.max(1, this.looked);
  }
}

/** How likely a normal variable is to lie this many deviations out, or further: Abramowitz and Stegun 26.2.17. */
function chanceBeyond(deviations: number): number {
  const size = Math.abs(deviations);
  const t = 1 / (1 + 0.2316419 * size);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp(-(size * size) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return deviations > 0 ? tail : 1 - tail;
}
