/**
 * An index of vectors beside the store. It can be lost and built anew, it may lag behind, and what it says is only where to
 * look: the store decides what is there and who may see it. It holds no text and no names.
 */

import type { Partition } from '../domain/access.ts';
import type { EmbeddingSpace } from './embedder.ts';
import type { Nearest } from './entry-store.ts';

/** A vector with all that is known of its entry there. */
export interface IndexedPoint {
  readonly id: string;
  readonly partition: Partition;
  readonly ownerId: string | null;
  readonly vector: Float32Array;
}

/** Building the index of a tenant from the store, page by page. */
export interface RebuildProgress {
  /** Where the event log stood when it began: what happened since comes afterwards. */
  readonly position: string;
  /** The last entry that has arrived. */
  readonly after?: string | undefined;
  /** How many have arrived. */
  readonly done: number;
  /** Who is at it, and when it last said so (milliseconds). */
  readonly holder: string;
  readonly at: number;
}

/**
 * How far the index follows the event log of a tenant. It lies in the index itself: an index that was lost, or restored from
 * a copy, is then known to be behind.
 */
export interface IndexProgress {
  /** All that happened up to here is in the index. Absent until it was built. */
  readonly position?: string | undefined;
  /** Present while it is built: then it is not to be relied on. */
  readonly rebuild?: RebuildProgress | undefined;
}

export interface PointPage {
  readonly ids: readonly string[];
  /** To go on after; undefined at the end. */
  readonly next: string | undefined;
}

/** Every call names a tenant and sees nothing of others. Everything throws `UNAVAILABLE` when it is out of reach. */
export interface VectorIndex {
  /** Nearest first, at most `limit`, of these partitions only. Throws `UNAVAILABLE` too where there is no such index yet. */
  nearest(
    space: EmbeddingSpace,
    tenantId: string,
    partitions: readonly Partition[],
    vector: Float32Array,
    limit: number,
  ): Promise<Nearest[]>;
  /** Puts them in the place of what has the same id. Found by whoever asks once it resolves. */
  put(space: EmbeddingSpace, tenantId: string, points: readonly IndexedPoint[]): Promise<void>;
  /** From one space, or from every one. What is not there is none the less removed. */
  remove(tenantId: string, ids: readonly string[], space?: EmbeddingSpace): Promise<void>;
  /** The ids of the entries that are there, in pages, in any order. */
  list(space: EmbeddingSpace, tenantId: string, limit: number, after?: string): Promise<PointPage>;
  count(space: EmbeddingSpace, tenantId: string): Promise<number>;
  progress(space: EmbeddingSpace, tenantId: string): Promise<IndexProgress | undefined>;
  saveProgress(space: EmbeddingSpace, tenantId: string, progress: IndexProgress): Promise<void>;
  /** Vectors in every space of all that belongs to the tenant, or to one of its users. */
  countOwned(tenantId: string, userId?: string): Promise<number>;
  /** Removes these, and says how many there were. */
  erase(tenantId: string, userId?: string): Promise<number>;
  /** Throws `UNAVAILABLE` when it cannot serve. Says what is amiss where it serves, but not as well as it should. */
  check(): Promise<string | undefined>;
}
