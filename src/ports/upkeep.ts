/**
 * What background work needs that no user may do: it spans all users of a tenant, and the holder is responsible for access
 * control.
 */

import type { Partition } from '../domain/access.ts';
import type { Event } from '../domain/event.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { EmbeddingSpace } from './embedder.ts';

export interface Swept {
  /** The ids of the removed entries. */
  readonly ids: readonly string[];
  /** Every text that had been embedded for the removed entries. */
  readonly texts: readonly string[];
}

/** What an index beside the store has to know of an entry. */
export interface StoredPoint {
  readonly id: string;
  readonly version: number;
  readonly partition: Partition;
  readonly ownerId: string | null;
  /** Undefined if it has none in that space. */
  readonly vector?: Float32Array | undefined;
}

export interface Upkeep {
  /**
   * Removes entries that had expired at `at` (milliseconds), of any user, with everything stored for them, and logs events.
   * At most `limit`, in one transaction: call again until fewer are removed.
   */
  removeExpired(tenantId: string, at: number, limit: number): Promise<Swept>;
  /**
   * Removes the oldest events from the log: of the first `limit`, all up to the last one before `at` (milliseconds).
   * Returns how many: call again until fewer are removed.
   */
  pruneEvents(tenantId: string, at: number, limit: number): Promise<number>;
  /**
   * Like reading the event log as a user, but for the memories of all users. Undefined if the log no longer reaches back to
   * the position.
   */
  changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event> | undefined>;
  /** The entries with these ids, of any user, in no particular order, including expired ones. */
  points(tenantId: string, space: EmbeddingSpace, ids: readonly string[]): Promise<StoredPoint[]>;
  /** How many entries have a vector in the space. */
  countPoints(tenantId: string, space: EmbeddingSpace): Promise<number>;
}
