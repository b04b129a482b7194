/** The places of landmarks in the plane, by UMAP. Pure: the same vectors always give the same places. */

import { UMAP } from 'umap-js';
import { dotOf, nearestTo, type Rows } from './nearest-rows.ts';

/** What of its surroundings each point keeps: more shows the whole better, fewer the parts. */
const NEIGHBOURS = 15;
const EPOCHS = 200;

/** With fewer there is nothing to lay out. */
const MIN_FOR_UMAP = 6;

const SEED = 0x1a317a;

/** The outermost points are strays: so many of a hundred on each side are moved to the edge. */
const STRAY_SHARE = 0.005;

/** x and y of each, one after the other, within -1 and 1. `progress` is told how much is done, from 0 to 1. */
export function planeOf(rows: Rows, progress: (share: number) => void): Float32Array<ArrayBuffer> {
  if (rows.count < MIN_FOR_UMAP) return circleOf(rows.count);
  const umap = new UMAP({
    nNeighbors: Math.min(NEIGHBOURS, rows.count - 1),
    nEpochs: EPOCHS,
    random: seeded(SEED),
  });
  const neighbours = Array.from({ length: rows.count }, (_, at) => {
    if (at % 50 === 0) progress((0.5 * at) / rows.count);
    // Itself is among them, at no distance: UMAP takes it so.
    return nearestTo(rows, (other) => dotOf(rows, at, other), Math.min(NEIGHBOURS, rows.count - 1));
  });
  umap.setPrecomputedKNN(
    neighbours.map(({ indices }) => [...indices]),
    neighbours.map(({ similarities }) => [...similarities].map((similarity) => Math.max(0, 1 - similarity))),
  );
  // How near they are it knows by now; of the vectors it only asks how many there are.
  const epochs = umap.initializeFit(neighbours.map(() => [0]));
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    umap.step();
    if (epoch % 10 === 0) progress(0.5 + (0.5 * epoch) / epochs);
  }
  return withinBounds(umap.getEmbedding());
}

function circleOf(count: number): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(2 * count);
  // One alone lies in the middle.
  const radius = count > 1 ? 0.5 : 0;
  for (let at = 0; at < count; at += 1) {
    positions[2 * at] = radius * Math.cos((2 * Math.PI * at) / count);
    positions[2 * at + 1] = radius * Math.sin((2 * Math.PI * at) / count);
  }
  return positions;
}

/** Both axes by the same measure, so that distances stay what they are. */
function withinBounds(points: readonly (readonly number[])[]): Float32Array<ArrayBuffer> {
  const axes = [0, 1].map((axis) => rangeOf(points.map((point) => point[axis] ?? 0)));
  const reach = Math.max(...axes.map(({ low, high }) => (high - low) / 2)) || 1;
  const positions = new Float32Array(2 * points.length);
  for (const [at, point] of points.entries()) {
    for (const [axis, { low, high }] of axes.entries()) {
      const value = ((point[axis] ?? 0) - (low + high) / 2) / reach;
      positions[2 * at + axis] = Math.max(-1, Math.min(1, value));
    }
  }
  return positions;
}

function rangeOf(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const strays = Math.floor(sorted.length * STRAY_SHARE);
  return { low: sorted[strays] ?? 0, high: sorted[sorted.length - 1 - strays] ?? 0 };
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
