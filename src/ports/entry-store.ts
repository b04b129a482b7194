/**
 * The durable truth about entries, and the two indexes over it. An engine implements these primitives; what
 * they are used for is decided in `core/`. Every call carries the principal, so that an engine whose database
 * enforces isolation can hand it on. Such an engine finds only what the principal may read (shared, or its own), and
 * writes only what it may change (its own, or a layer's): the core never asks for more.
 */

import type { Partition } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import type { MetadataFilter } from '../domain/filter.ts';
import type { Version } from '../domain/browse.ts';
import type { ProcedureType, Role, Sensitivity, Trust } from '../domain/kind.ts';
import type { Identifiers, Layer, Scope } from '../domain/scope.ts';
import type { Principal } from '../domain/principal.ts';
import type { EmbeddingSpace } from './embedder.ts';
import type { FactTransaction } from './fact-store.ts';

/** An entry with everything that is written beside it in the same transaction. */
export interface EntryWrite {
  readonly entry: Entry;
  /** Where it lies; the indexes are organised by it. */
  readonly partition: Partition;
  /** The analysed words of the text, in order; what the text index stores. */
  readonly lexemes: readonly string[];
  /** Undefined on a replacement whose embedded text did not change. */
  readonly embedding: Embedding | undefined;
  /** The same in the other space, while the model is being changed. */
  readonly otherEmbedding?: Embedding | undefined;
}

export interface Embedding {
  readonly space: EmbeddingSpace;
  readonly vector: Float32Array;
}

/** What makes an entry the same as another one: any of these that is given. */
export interface Identity {
  readonly id?: string | undefined;
  readonly partition: Partition;
  readonly ownerId: string | null;
  readonly externalId?: string | undefined;
  /** Absent for entries that are never the same as another by content. */
  readonly contentHash?: string | undefined;
}

/** What must hold for an entry, wherever it lies: all given conditions together. */
export interface Conditions {
  readonly filter?: MetadataFilter | undefined;
  /** What the entry itself names, also beyond what its scope requires: the session of an episode. */
  readonly identifiers?: Identifiers | undefined;
  /** Only what belongs to this user; null for what belongs to its layer. */
  readonly ownerId?: string | null | undefined;
  readonly hasExternalId?: boolean | undefined;
  readonly role?: Role | undefined;
  readonly procedureType?: ProcedureType | undefined;
  /** Milliseconds, both included: only what began to hold, or happened, within. See {@link Candidate.since}. */
  readonly since?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** Milliseconds, both included: only what was created within. */
  readonly created?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** Any of these. */
  readonly sensitivities?: readonly Sensitivity[] | undefined;
  /** Any of these. */
  readonly trusts?: readonly Trust[] | undefined;
  /** Only what belongs to a user, or only what belongs to its layer. */
  readonly hasOwner?: boolean | undefined;
  /**
   * Milliseconds: only what has not been changed since then, and held then (valid from and to). What was changed since
   * is told by {@link EntryStore.changed}.
   */
  readonly asOf?: number | undefined;
}

/** Which entries: all given conditions hold together. What has expired is never among them. */
export interface Selection extends Conditions {
  readonly partitions?: readonly Partition[] | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Milliseconds; only entries created before. */
  readonly createdBefore?: number | undefined;
}

/** A selection within a reach, as searches use it. */
export interface Reach extends Conditions {
  readonly partitions: readonly Partition[];
}

/** A place in a list: strictly after this entry, newest first. */
export interface Position {
  readonly createdAt: number;
  readonly id: string;
}

/** A place in a timeline: strictly after this entry, latest first. */
export interface Moment {
  readonly since: number;
  readonly id: string;
}

/** A place in what was changed: strictly after this entry, the longest unchanged first. */
export interface ChangePosition {
  readonly updatedAt: number;
  readonly id: string;
}

/** An entry that was changed since a moment. */
export interface Changed {
  readonly now: Entry;
  /** The version that stood at that moment; null where it was not kept. */
  readonly former: Entry | null;
}

/** A word to look for, and how much it tells: the rarer, the more. */
export interface Term {
  readonly lexeme: string;
  readonly weight: number;
}

/** What a search looks for: words, a meaning, or both. */
export interface Probe {
  /** The rarest first; none where words are not looked at. */
  readonly terms: readonly Term[];
  readonly embedding?: Embedding | undefined;
  /**
   * Where another index has been asked for what is near: the ids that it gave. The store then looks for no others, and takes
   * the nearest of these that lie in the reach.
   */
  readonly near?: readonly string[] | undefined;
  /** How many of the last characters of episodes to tell: a search may have hundreds of them. Default one. */
  readonly endings?: number | undefined;
}

/** What the ranking needs to know of an episode: where in which conversation it was said, by whom, and how. */
export interface Said {
  readonly sessionId?: string | undefined;
  readonly turn?: number | undefined;
  readonly speaker?: string | undefined;
  /** The last characters of its content, as many as were asked for. */
  readonly ending: string;
}

/** What the ranking needs to know of an entry that might be recalled. */
export interface Candidate {
  readonly id: string;
  readonly layer: Layer;
  readonly contentHash: string;
  readonly importance: number;
  readonly confidence: number;
  /** Milliseconds: when it began to hold, else when it was created. */
  readonly since: number;
  /** How many lexemes it has. */
  readonly length: number;
  /** How often it has each of the asked terms, in their order. */
  readonly frequencies: readonly number[];
  /** Cosine similarity to the asked meaning; undefined where none was asked for or the entry has no vector. */
  readonly similarity?: number | undefined;
  /** Of an episode, and of nothing else. */
  readonly said?: Said | undefined;
}

/** An entry and how similar it is in meaning. */
export interface Nearest {
  readonly id: string;
  readonly similarity: number;
}

/** Statistics over all entries of a reach, as BM25 needs them. */
export interface TextStatistics {
  readonly documents: number;
  readonly averageLength: number;
  /** How many of the documents are episodes. */
  readonly episodes: number;
  /** How many entries contain each of the asked terms, in their order. */
  readonly documentFrequencies: readonly number[];
}

/** One transaction. Everything that it wrote is durable once the promise of `transaction` resolves. */
export interface EntryTransaction {
  /**
   * For each identity the entry that has its id, else its external id, else its content hash; else null. Also
   * finds entries that have expired: they still take up their identity.
   */
  findSame(identities: readonly Identity[]): Promise<(Entry | null)[]>;
  find(ids: readonly string[]): Promise<Entry[]>;
  list(selection: Selection, limit: number, position?: Position): Promise<Entry[]>;
  /**
   * The nearest entries in meaning as they stand there now, nearest first: nothing can come in between. The store
   * answers it by itself, also where searches use another index, which may lag behind.
   */
  nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]>;
  /** Throws when an id is taken, also by what the principal cannot see. */
  insert(writes: readonly EntryWrite[]): Promise<void>;
  /** Puts the entry in the place of its previous version, which is kept as history. */
  replace(writes: readonly EntryWrite[]): Promise<void>;
  /** Removes entries with their versions, vectors and text; returns every text that had been embedded for them. */
  remove(ids: readonly string[]): Promise<string[]>;
  /** Facts, in the same transaction: what was made of an entry comes and goes together with it. */
  readonly facts: FactTransaction;
}

export interface EntryStore {
  /**
   * Runs `work` as if alone, atomically. A thrown error leaves nothing behind. `work` may run more than once, because an
   * engine retries what could not be serialised: it has no effects but through `tx`, and only its last result counts.
   */
  transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T>;
  /** Same as in a transaction, but from a plain read. */
  findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]>;
  /** The entries with these ids, in no particular order; ids that are not there are left out. */
  find(principal: Principal, ids: readonly string[]): Promise<Entry[]>;
  /**
   * Those of these that are there but cannot be opened, closed: see `domain/closed-entry.ts`. Reads leave them out;
   * transactions find and list them closed. Absent where nothing is sealed.
   */
  unreadable?(principal: Principal, ids: readonly string[]): Promise<Entry[]>;
  /** Newest first, at most `limit`, after `position` where given. */
  list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]>;
  /** The same, but in the order in which things happened (or began to hold): latest first. */
  timeline(principal: Principal, selection: Selection, limit: number, moment?: Moment): Promise<Entry[]>;
  count(principal: Principal, selection: Selection): Promise<number>;
  /** Those scopes of a personal layer that name this user and hold anything. */
  personalScopes(principal: Principal, layer: Layer, userId: string): Promise<Scope[]>;
  /** Superseded versions, newest first. */
  history(principal: Principal, id: string): Promise<Version[]>;
  /**
   * Entries that lie in these partitions, were there at a moment (milliseconds) and were changed since. In the order of
   * their last change, so that whoever goes on after a position misses nothing that is changed meanwhile.
   */
  changed(
    principal: Principal,
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]>;
  /** Counts an access to each; soon, not now, and never in the way of a read. */
  touch(principal: Principal, ids: readonly string[]): void;
}

/** The indexes over the store: by words and by meaning. */
export interface SearchIndex {
  textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<TextStatistics>;
  /**
   * Up to `limit` entries that contain any of the terms, the most promising ones, and the `limit` nearest ones in
   * meaning, in no particular order. However an entry was found, everything is told of it.
   */
  candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]>;
  /** The vectors of these entries, by id; entries without one are left out. */
  vectors(principal: Principal, space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>>;
}

/** What a search asks. */
export type Recollection = Pick<EntryStore & SearchIndex, 'textStatistics' | 'candidates' | 'find'>;

/** Entries as the core needs them: the store and the indexes over it. */
export interface Entries extends EntryStore, SearchIndex {
  /**
   * For one search, whose statistics and candidates may be told from memory: `find` comes last, whether anything was found or not, and
   * throws `OutdatedRecollection` where what was told is not so any more. Absent, or undefined, where nothing is gained by it.
   */
  recollection?(): Recollection | undefined;
}
