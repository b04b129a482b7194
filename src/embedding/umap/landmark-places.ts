/**
 * Finding the place of a vector among landmarks: between those that are nearest to it. They are looked for by short
 * projections, and only the most promising ones are compared in full. Pure.
 */

import { dotBetween, nearestTo, rowsOf, type Rows } from './nearest-rows.ts';

/** Of a projection. Enough to find nearly all of the nearest among thousands of landmarks. */
const SHORT = 48;
/** Of the landmarks so many are compared in full, and so many decide. */
const PROMISING = 16;
const DECIDING = 4;

/** How much more a nearer landmark counts: by e for each so much of similarity. */
const TEMPERATURE = 0.05;

/** How far from their middle at most, so that points beside the same landmarks do not lie upon each other. */
const SCATTER = 0.012;

export class LandmarkPlaces {
  readonly #landmarks: Rows;
  readonly #positions: Float32Array;
  readonly #directions: Rows;
  readonly #short: Rows;

  constructor(landmarks: Rows, positions: Float32Array) {
    this.#landmarks = landmarks;
    this.#positions = positions;
    this.#directions = directionsIn(landmarks.dimensions);
    this.#short = this.#projected(landmarks);
  }

  /** x and y of each, one after the other. */
  place(rows: Rows): Float32Array<ArrayBuffer> {
    const short = this.#projected(rows);
    const positions = new Float32Array(2 * rows.count);
    for (let row = 0; row < rows.count; row += 1) positions.set(this.#placeOf(rows, short, row), 2 * row);
    return positions;
  }

  #placeOf(rows: Rows, short: Rows, row: number): readonly [number, number] {
    const promising = nearestTo(this.#short, (other) => dotBetween(short, row, this.#short, other), PROMISING);
    const nearest = [...promising.indices]
      .map((landmark) => ({ landmark, similarity: dotBetween(rows, row, this.#landmarks, landmark) }))
      .toSorted((a, b) => b.similarity - a.similarity || a.landmark - b.landmark)
      .slice(0, DECIDING);
    const best = nearest[0]?.similarity ?? 0;
    let [x, y, sum] = [0, 0, 0];
    for (const { landmark, similarity } of nearest) {
      const weight = Math.exp((similarity - best) / TEMPERATURE);
      x += weight * (this.#positions[2 * landmark] ?? 0);
      y += weight * (this.#positions[2 * landmark + 1] ?? 0);
      sum += weight;
    }
    const [dx, dy] = scatterOf(short, row);
    return [bounded(x / (sum || 1) + dx), bounded(y / (sum || 1) + dy)];
  }

  #projected(rows: Rows): Rows {
    const values = new Float32Array(rows.count * SHORT);
    for (let row = 0; row < rows.count; row += 1) {
      for (let at = 0; at < SHORT; at += 1) values[row * SHORT + at] = dotBetween(rows, row, this.#directions, at);
    }
    return rowsOf(values, SHORT);
  }
}

/** By the vector itself: the same vector lies in the same place. */
function scatterOf(short: Rows, row: number): readonly [number, number] {
  const [a = 0, b = 0] = short.values.subarray(row * SHORT, row * SHORT + 2);
  const fraction = (value: number): number => value * 7919 - Math.floor(value * 7919);
  return [SCATTER * (2 * fraction(a) - 1), SCATTER * (2 * fraction(b) - 1)];
}

function bounded(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

/** Directions at random, always the same: +1 and -1 by the bits of a linear feedback. */
function directionsIn(dimensions: number): Rows {
  const values = new Float32Array(SHORT * dimensions);
  let state = 0x9e3779b9;
  for (let at = 0; at < values.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[at] = (state & 0x10000) === 0 ? -1 : 1;
  }
  return rowsOf(values, dimensions);
}
