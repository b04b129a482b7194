/**
 * An index of vectors beside the store. It can be lost and rebuilt, it may lag behind, and its results are only hints: the
 * store decides what exists and who may see it. It holds no text and no names.
 */

import type { Partition } from '../domain/access.ts';
import type { EmbeddingSpace } from './embedder.ts';
import type { Nearest } from './entry-store.ts';

/** A vector with everything the index knows about its entry. */
export interface IndexedPoint {
  readonly id: string;
  readonly partition: Partition;
  readonly ownerId: string | null;
  readonly vector: Float32Array;
}

/** Building the index of a tenant from the store, page by page. */
export interface RebuildProgress {
  /** The position of the event log when it began: later events are applied afterwards. */
  readonly position: string;
  /** The last entry that was added. */
  readonly after?: string | undefined;
  /** How many were added. */
  readonly done: number;
  /** Which process builds it, and its last heartbeat (milliseconds). */
  readonly holder: string;
  readonly at: number;
}

/**
 * How far the index follows the event log of a tenant. It is stored in the index itself, so that a lost or restored index
 * is known to be behind.
 */
export interface IndexProgress {
  /** All events up to here are in the index. Absent until it was built. */
  readonly position?: string | undefined;
  /** Present while it is being built: until then it is incomplete. */
  readonly rebuild?: RebuildProgress | undefined;
}

export interface PointPage {
  readonly ids: readonly string[];
  /** Where to continue; undefined at the end. */
  readonly next: string | undefined;
}

/** Every call names a tenant and sees nothing of others. Everything throws `UNAVAILABLE` if it cannot be reached. */
export interface VectorIndex {
  /** Nearest first, at most `limit`, of these partitions only. Also throws `UNAVAILABLE` if there is no such index yet. */
  nearest(
    space: EmbeddingSpace,
    tenantId: string,
    partitions: readonly Partition[],
    vector: Float32Array,
    limit: number,
  ): Promise<Nearest[]>;
  /** Replaces vectors with the same id. Visible to searches once it resolves. */
  put(space: EmbeddingSpace, tenantId: string, points: readonly IndexedPoint[]): Promise<void>;
  /** From one space, or from all. Missing ids are not an error. */
  remove(tenantId: string, ids: readonly string[], space?: EmbeddingSpace): Promise<void>;
  /** The ids of the entries that are there, in pages, in any order. */
  list(space: EmbeddingSpace, tenantId: string, limit: number, after?: string): Promise<PointPage>;
  count(space: EmbeddingSpace, tenantId: string): Promise<number>;
  progress(space: EmbeddingSpace, tenantId: string): Promise<IndexProgress | undefined>;
  saveProgress(space: EmbeddingSpace, tenantId: string, progress: IndexProgress): Promise<void>;
  /** Vectors in every space of all that belongs to the tenant, or to one of its users. */
  countOwned(tenantId: string, userId?: string): Promise<number>;
  /** Removes these, and returns how many there were. */
  erase(tenantId: string, userId?: string): Promise<number>;
  /** Throws `UNAVAILABLE` if it cannot serve. If it serves in a degraded way, says why. */
  check(): Promise<string | undefined>;
}
