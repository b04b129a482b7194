/**
 * Which embedding spaces are in use, as the database has it: one that answers searches, and while the model is being changed
 * another one beside it. All processes on the database go by it, whatever their configuration names.
 */

import type { Entry } from '../domain/entry.ts';
import type { EmbedderSettings, EmbeddingSpace } from './embedder.ts';
import type { Embedding } from './entry-store.ts';

/**
 * `filling`: the other space is to become the active one, and gets its vectors. `cut_over`: it has become the active one, and
 * the other is the former. `dropping`: the other is given up, and its vectors are removed. `settled`: there is but one.
 */
export type SpacesPhase = 'filling' | 'cut_over' | 'dropping' | 'settled';

export interface UsedSpace {
  readonly space: EmbeddingSpace;
  /** What it takes to make its embedder, but for keys. */
  readonly settings: EmbedderSettings;
}

export interface SpacesInUse {
  /** Counts the changes. */
  readonly revision: number;
  readonly phase: SpacesPhase;
  /** In which searches compare, and which has a vector of all that was acknowledged. */
  readonly active: UsedSpace;
  /** Absent where settled. */
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
  /** To go on after; undefined at the end. */
  readonly next: number | undefined;
}

/** Of all tenants and users: whoever holds it answers for them. */
export interface SpaceStore {
  /** Undefined where the model was never changed. Then the configuration decides. */
  read(): Promise<SpacesInUse | undefined>;
  /**
   * Puts it in the place of the one before it, by the revision; false where somebody else was faster. Once it resolves
   * every transaction under way goes by it, and one whose vectors are not those that it wants throws `OutdatedSpaces`.
   */
  change(next: SpacesInUse): Promise<boolean>;
  /** Makes the space ready to be written to and searched. */
  open(space: EmbeddingSpace): Promise<void>;
  /** Entries that have no vector in the space, in the order in which they were written; also those that have expired. */
  unembedded(tenantId: string, space: EmbeddingSpace, limit: number, after?: number): Promise<UnembeddedPage>;
  countUnembedded(tenantId: string, space: EmbeddingSpace): Promise<number>;
  /**
   * Adds vectors to entries that are still what they were and have none in that space; what was changed meanwhile is left
   * out. It is no event: nothing happened to the entries.
   */
  fill(tenantId: string, fills: readonly Fill[]): Promise<void>;
  /** Removes vectors of the space, at most `limit`, and says how many: call again until there are none. */
  drop(tenantId: string, space: EmbeddingSpace, limit: number): Promise<number>;
}
