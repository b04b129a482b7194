/** Which of many memories belong together, by how alike their vectors are. */

import type { Entry } from '../../domain/entry.ts';
import { dot } from '../recall/similarity.ts';
import type { Rest } from './pace.ts';

/** A memory with its vector, which has unit length. */
export interface Located {
  readonly entry: Entry;
  readonly vector: Float32Array;
}

/** Memories that say similar things, and of these the one that says most of what all of them say. */
export interface Cluster {
  readonly centre: Entry;
  readonly sources: readonly Entry[];
}

export interface Clustering {
  readonly threshold: number;
  readonly maxSize: number;
  /** Whether two may be in one cluster at all, were they similar. */
  readonly fits: (a: Entry, b: Entry) => boolean;
  readonly rest: Rest;
}

/**
 * Around each memory that belongs to nothing yet, in their order, those gather that are at least so similar to it, the most
 * similar first. No memory is in two clusters, and none is alone in one. Takes time with the square of how many there are.
 */
export async function clustersOf(
  memories: readonly Located[],
  { threshold, maxSize, fits, rest }: Clustering,
): Promise<Cluster[]> {
  const clusters: Cluster[] = [];
  let free = [...memories];
  for (;;) {
    const [seed, ...others] = free;
    if (seed === undefined) return clusters;
    const near = others
      .map((one) => ({ one, similarity: dot(seed.vector, one.vector) }))
      .filter(({ one, similarity }) => similarity >= threshold && fits(seed.entry, one.entry))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, maxSize - 1)
      .map(({ one }) => one);
    if (near.length > 0) clusters.push(clusterOf([seed, ...near]));
    const taken = new Set(near);
    free = others.filter((one) => !taken.has(one));
    await rest();
  }
}

/** The centre is most similar to all others on average; of equals the more important, then the newer one. */
function clusterOf(members: readonly Located[]): Cluster {
  const [centre] = members
    .map(({ entry, vector }) => ({
      entry,
      closeness: members.reduce((sum, other) => sum + dot(vector, other.vector), 0),
    }))
    .toSorted(
      (a, b) =>
        b.closeness - a.closeness ||
        b.entry.importance - a.entry.importance ||
        (a.entry.createdAt > b.entry.createdAt ? -1 : 1),
    );
  if (centre === undefined) throw new Error('A cluster has members.');
  const sources = members.map(({ entry }) => entry).filter((entry) => entry !== centre.entry);
  return { centre: centre.entry, sources };
}
