/**
 * Which embedding spaces are in use, according to the database: one that answers searches, and a second one while the model
 * is being changed. All processes on the database follow it, whatever their configuration says.
 */

import type { Entry } from '../domain/entry.ts';
import type { EmbedderSettings, EmbeddingSpace } from './embedder.ts';
import type { Embedding } from './entry-store.ts';

/**
 * `filling`: the other space is to become active, and is being filled. `cut_over`: it has become active, and the other is
 * the former one. `dropping`: the other is abandoned, and its vectors are being removed. `settled`: there is only one.
 */
export type SpacesPhase = 'filling' | 'cut_over' | 'dropping' | 'settled';

export interface UsedSpace {
  readonly space: EmbeddingSpace;
  /** What it takes to create its embedder, except for keys. */
  readonly settings: EmbedderSettings;
}

export interface SpacesInUse {
  /** Counts the changes. */
  readonly revision: number;
  readonly phase: SpacesPhase;
  /** The space that searches use; it has a vector for every acknowledged entry. */
  readonly active: UsedSpace;
  /** Absent if settled. */
  readonly other?: UsedSpace | undefined;
  /** Whether a write must have vectors in both spaces, because they are about to change places. */
  readonly isSwitching: boolean;
  /** Milliseconds. */
  readonly startedAt: number;
  readonly changedAt: number;
}

/** A vector for an entry as it was read. */
export interface Fill {
  readonly id: string;
  readonly version: number;
  readonly embedding: Embedding;
}

export interface UnembeddedPage {
  readonly entries: readonly Entry[];
  /** Where to continue; undefined at the end. */
  readonly next: number | undefined;
}

/** Spans all tenants and users: the holder is responsible for access control. */
export interface SpaceStore {
  /** Undefined if the model was never changed. Then the configuration decides. */
  read(): Promise<SpacesInUse | undefined>;
  /**
   * Compare-and-set by the revision; false if another process was faster. Once it resolves, every transaction in progress
   * follows it, and one with vectors of the wrong spaces throws `OutdatedSpaces`.
   */
  change(next: SpacesInUse): Promise<boolean>;
  /** Prepares the space for writes and searches. */
  open(space: EmbeddingSpace): Promise<void>;
  /** Entries without a vector in the space, in write order, including expired ones. */
  unembedded(tenantId: string, space: EmbeddingSpace, limit: number, after?: number): Promise<UnembeddedPage>;
  countUnembedded(tenantId: string, space: EmbeddingSpace): Promise<number>;
  /**
   * Adds vectors to unchanged entries that have none in that space; entries changed meanwhile are skipped. Not an event:
   * the entries themselves do not change.
   */
  fill(tenantId: string, fills: readonly Fill[]): Promise<void>;
  /** Removes vectors of the space, at most `limit`, and returns how many: call again until there are none. */
  drop(tenantId: string, space: EmbeddingSpace, limit: number): Promise<number>;
}
