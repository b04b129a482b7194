/** Laying memories out in the plane: some of them as landmarks, all others beside these, a few at a time. */

import type { Partition } from '../../domain/access.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Position } from '../../ports/entry-store.ts';
import type { Vectors } from '../../ports/layout.ts';
import type { Dependencies } from '../dependencies.ts';
import { paced, type Rest } from '../maintenance/pace.ts';

/** More than a screen can show, and few enough to be read when it is shown. */
const MAX_POINTS = 50_000;

/** Laying out takes longer than their number grows; the others lie beside these. */
const MAX_LANDMARKS = 2000;

/** Landmarks stay where they are while most of them are there, and while they are enough for what has come since. */
const KEPT_SHARE = 0.75;
const MAX_GROWTH = 2;

const BATCH = 500;

/** How much of the work is done when the memories are listed, and when the landmarks are laid out. */
const LISTED = 0.1;
const LAID = 0.7;

export interface LaidOut {
  readonly ids: readonly string[];
  /** x and y of each, one after the other. */
  readonly positions: Float32Array;
  readonly model: string;
  /** How many of the ids, the first ones, are landmarks. */
  readonly landmarks: number;
}

type Needs = Pick<Dependencies, 'entries' | 'embedder' | 'layout' | 'clock'>;

interface Work {
  readonly needs: Needs;
  readonly principal: Principal;
  readonly space: EmbeddingSpace;
  readonly rest: Rest;
}

/** `former` is the map before, whose landmarks stay where they are if they can. */
export async function layOut(
  needs: Needs,
  principal: Principal,
  partitions: readonly Partition[],
  former: LaidOut | undefined,
  progress: (share: number) => void,
): Promise<LaidOut> {
  const space = await needs.embedder.space();
  const work: Work = { needs, principal, space, rest: paced(needs.clock) };
  const all = await newestIds(work, partitions);
  progress(LISTED);
  const chosen = landmarksAmong(all, former?.model === space.model ? former : undefined);
  const landmarks = await vectorsOf(work, chosen.ids);
  if (landmarks.ids.length === 0) return { ids: [], positions: new Float32Array(), model: space.model, landmarks: 0 };
  const plane = await needs.layout.open(landmarks.vectors, {
    positions: chosen.positionsOf?.(landmarks.ids),
    progress: (share) => progress(LISTED + share * (LAID - LISTED)),
  });
  try {
    const ids = [...landmarks.ids];
    const positions = [plane.positions];
    const isLandmark = new Set(chosen.ids);
    const others = all.filter((id) => !isLandmark.has(id));
    for (let start = 0; start < others.length; start += BATCH) {
      progress(LAID + ((1 - LAID) * start) / others.length);
      const some = await vectorsOf(work, others.slice(start, start + BATCH));
      if (some.ids.length === 0) continue;
      positions.push(await plane.place(some.vectors));
      ids.push(...some.ids);
    }
    return { ids, positions: joined(positions), model: space.model, landmarks: landmarks.ids.length };
  } finally {
    await plane.close();
  }
}

async function newestIds({ needs, principal, rest }: Work, partitions: readonly Partition[]): Promise<string[]> {
  const ids: string[] = [];
  let position: Position | undefined;
  while (ids.length < MAX_POINTS) {
    const page = await needs.entries.list(principal, { partitions }, BATCH, position);
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH) break;
    position = { createdAt: Date.parse(last.createdAt), id: last.id };
    await rest();
  }
  return ids.slice(0, MAX_POINTS);
}

interface Landmarks {
  readonly ids: readonly string[];
  /** Where these were on the map before; undefined where they are to be laid out anew. */
  readonly positionsOf?: (ids: readonly string[]) => Float32Array<ArrayBuffer>;
}

function landmarksAmong(all: readonly string[], former: LaidOut | undefined): Landmarks {
  return keptLandmarks(all, former) ?? { ids: evenly(all, MAX_LANDMARKS) };
}

function keptLandmarks(all: readonly string[], former: LaidOut | undefined): Landmarks | undefined {
  if (former === undefined || all.length > MAX_GROWTH * former.ids.length) return undefined;
  const places = new Map(former.ids.slice(0, former.landmarks).map((id, index) => [id, index]));
  const ids = all.filter((id) => places.has(id));
  if (ids.length === 0 || ids.length < KEPT_SHARE * former.landmarks) return undefined;
  return {
    ids,
    positionsOf: (known) => {
      const pairs = known.map((id) => former.positions.subarray(2 * (places.get(id) ?? 0)).subarray(0, 2));
      return joined(pairs);
    },
  };
}

/** As many as there may be, at even distances in the order of time. */
function evenly(ids: readonly string[], count: number): string[] {
  if (ids.length <= count) return [...ids];
  return Array.from({ length: count }, (_, index) => ids[Math.floor((index * ids.length) / count)] as string);
}

/** Of those that have one, in their order. */
async function vectorsOf(
  { needs, principal, space, rest }: Work,
  asked: readonly string[],
): Promise<{ readonly ids: readonly string[]; readonly vectors: Vectors }> {
  const ids: string[] = [];
  const parts: Float32Array[] = [];
  for (let start = 0; start < asked.length; start += BATCH) {
    const some = asked.slice(start, start + BATCH);
    const found = await needs.entries.vectors(principal, space, some);
    for (const id of some) {
      const vector = found.get(id);
      if (vector === undefined) continue;
      ids.push(id);
      parts.push(vector);
    }
    await rest();
  }
  return { ids, vectors: { values: joined(parts), dimensions: space.dimensions } };
}

function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
