/** What background work needs that no user may do: whoever holds it answers for all users of a tenant. */

import type { Partition } from '../domain/access.ts';
import type { Event } from '../domain/event.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { EmbeddingSpace } from './embedder.ts';

export interface Swept {
  /** Of the entries that are gone. */
  readonly ids: readonly string[];
  /** Every text that had been embedded for what is gone. */
  readonly texts: readonly string[];
}

/** What an index beside the store has to know of an entry. */
export interface StoredPoint {
  readonly id: string;
  readonly version: number;
  readonly partition: Partition;
  readonly ownerId: string | null;
  /** Undefined where it has none in that space. */
  readonly vector?: Float32Array | undefined;
}

export interface Upkeep {
  /**
   * Removes entries whose time was over at `at` (milliseconds), of whichever user, with all that is kept of them, and says
   * so in the event log. At most `limit`, in one transaction: call again until fewer are gone.
   */
  removeExpired(tenantId: string, at: number, limit: number): Promise<Swept>;
  /** As the event log is read by a user, but what happened to the memories of all users. */
  changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event>>;
  /** The entries with these ids, of whichever user, in no particular order; also those that have expired. */
  points(tenantId: string, space: EmbeddingSpace, ids: readonly string[]): Promise<StoredPoint[]>;
  /** How many entries have a vector in the space. */
  countPoints(tenantId: string, space: EmbeddingSpace): Promise<number>;
}
