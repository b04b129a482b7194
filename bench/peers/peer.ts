/** What a memory has to offer to be compared: adding one text for a user, and finding texts of that user again. */

import type { CachedVectors } from './cached-vectors.ts';

/** How many texts a search asks for. */
export const RESULTS = 10;

/** What a peer is given to be set up with. */
export interface Surroundings {
  /** An empty folder of its own. */
  readonly folder: string;
  /** An empty database of its own, where one is needed. */
  readonly databaseUrl: string | undefined;
  readonly vectors: CachedVectors;
  readonly users: readonly string[];
}

/** One way in which a peer can be asked. */
export interface Search {
  /** What is compared: words, vectors, or both. */
  readonly by: string;
  /** The texts that are found, best first where the peer ranks them. */
  readonly find: (userId: string, query: string) => Promise<string[]> | string[];
}

export interface Peer {
  /** Done when the peer says so; what that is worth is told by its `durability`. */
  add(userId: string, text: string): Promise<unknown> | void;
  readonly searches: readonly Search[];
  close(): Promise<void> | void;
}

/** Sets a peer up as its documentation says. */
export type OpenPeer = (surroundings: Surroundings) => Promise<Peer>;
