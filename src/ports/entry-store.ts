/**
 * The durable truth about entries, and the two indexes over it. An engine implements these primitives; what they are used
 * for is decided in `core/`. Every call carries the principal, so that an engine whose database enforces isolation can pass
 * it on. Such an engine finds only what the principal may read (shared, or its own), and writes only what it may change
 * (its own, or a layer's): the core never asks for more.
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
  /** The indexes are organised by it. */
  readonly partition: Partition;
  /** The analysed words of the text, in order; what the text index stores. */
  readonly lexemes: readonly string[];
  /** Undefined for a replacement whose embedded text did not change. */
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
  /** Absent for entries that are never identified by content. */
  readonly contentHash?: string | undefined;
}

/** Conditions on an entry, in any partition; all given ones must hold. */
export interface Conditions {
  readonly filter?: MetadataFilter | undefined;
  /** Identifiers that the entry itself names, beyond those of its scope: such as the session of an episode. */
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
   * Milliseconds: only what has not been changed since then, and held then (valid from and to). {@link EntryStore.changed}
   * returns what was changed since.
   */
  readonly asOf?: number | undefined;
}

/** Which entries; all given conditions must hold. Expired entries are never included. */
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

/** A place in the list of changed entries: strictly after this one, in the order of their last change. */
export interface ChangePosition {
  readonly updatedAt: number;
  readonly id: string;
}

/** An entry that was changed since a given moment. */
export interface Changed {
  readonly now: Entry;
  /** The version that was current at that moment; null if it was not kept. */
  readonly former: Entry | null;
}

/** A word to look for and its weight: the rarer, the higher. */
export interface Term {
  readonly lexeme: string;
  readonly weight: number;
}

/** What a search looks for: words, a meaning, or both. */
export interface Probe {
  /** Rarest first; empty if words are not searched. */
  readonly terms: readonly Term[];
  readonly embedding?: Embedding | undefined;
  /**
   * The ids from another vector index, if one was asked. The store then looks for no others, and takes the nearest of these
   * within the reach.
   */
  readonly near?: readonly string[] | undefined;
  /** How many of the last characters of each episode to return: a search may have hundreds of episodes. Default one. */
  readonly endings?: number | undefined;
}

/** What the ranking needs to know about an episode: where in which conversation it was said, by whom, and how. */
export interface Said {
  readonly sessionId?: string | undefined;
  readonly turn?: number | undefined;
  readonly speaker?: string | undefined;
  /** The last characters of its content, as many as requested. */
  readonly ending: string;
}

/** What the ranking needs to know about a candidate. */
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
  /** How often each of the query terms occurs in it, in their order. */
  readonly frequencies: readonly number[];
  /** Cosine similarity to the query vector; undefined if there is none or the entry has no vector. */
  readonly similarity?: number | undefined;
  /** Only for an episode. */
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
  /** How many entries contain each of the query terms, in their order. */
  readonly documentFrequencies: readonly number[];
}

/** One transaction. Everything that it wrote is durable once the promise of `transaction` resolves. */
export interface EntryTransaction {
  /**
   * For each identity the entry that has its id, else its external id, else its content hash; else null. Also finds expired
   * entries: they still occupy their identity.
   */
  findSame(identities: readonly Identity[]): Promise<(Entry | null)[]>;
  find(ids: readonly string[]): Promise<Entry[]>;
  list(selection: Selection, limit: number, position?: Position): Promise<Entry[]>;
  /**
   * The nearest entries in meaning, nearest first, consistent within the transaction. The store answers this itself even if
   * searches use another index, which may lag behind.
   */
  nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]>;
  /** Throws if an id is taken, even by an entry that the principal cannot see. */
  insert(writes: readonly EntryWrite[]): Promise<void>;
  /** Replaces the previous version, which is kept as history. */
  replace(writes: readonly EntryWrite[]): Promise<void>;
  /** Removes entries with their versions, vectors and text; returns every text that had been embedded for them. */
  remove(ids: readonly string[]): Promise<string[]>;
  /** Facts, in the same transaction: what was made from an entry is written and deleted together with it. */
  readonly facts: FactTransaction;
}

export interface EntryStore {
  /**
   * Runs `work` serialised and atomically. A thrown error rolls back. `work` may run more than once, because an engine
   * retries serialisation failures: it must have no effects except through `tx`, and only its last result counts.
   */
  transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T>;
  /** The same outside a transaction, as a plain read. */
  findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]>;
  /**
   * Whether these identities are probably new, judging by what the principal wrote before. Then a write can skip the lookup
   * before its transaction, which detects it if not. Absent if a lookup costs next to nothing.
   */
  expectsNew?(principal: Principal, identities: readonly Identity[]): boolean;
  /** The entries with these ids, in no particular order; unknown ids are left out. */
  find(principal: Principal, ids: readonly string[]): Promise<Entry[]>;
  /**
   * Those of these entries that exist but cannot be opened: see `domain/closed-entry.ts`. Reads leave them out;
   * transactions find and list them closed. Absent if nothing is sealed.
   */
  unreadable?(principal: Principal, ids: readonly string[]): Promise<Entry[]>;
  /** Newest first, at most `limit`, after `position` if given. */
  list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]>;
  /** The same, ordered by when things happened (or began to hold): latest first. */
  timeline(principal: Principal, selection: Selection, limit: number, moment?: Moment): Promise<Entry[]>;
  count(principal: Principal, selection: Selection): Promise<number>;
  /** The scopes of a personal layer that name this user and are not empty; or of these those with something in quarantine. */
  personalScopes(principal: Principal, layer: Layer, userId: string, shelf?: 'quarantined'): Promise<Scope[]>;
  /** Superseded versions, newest first. */
  history(principal: Principal, id: string): Promise<Version[]>;
  /**
   * Entries of these partitions that existed at a moment (milliseconds) and were changed since. In the order of their last
   * change, so that resuming after a position misses nothing that is changed meanwhile.
   */
  changed(
    principal: Principal,
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]>;
  /** Counts an access to each; deferred, so that it never delays a read. */
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
   * Up to `limit` entries that contain any of the terms, the most promising ones, and the `limit` nearest ones in meaning,
   * in no particular order. Each candidate is complete, however it was found.
   */
  candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]>;
  /** The vectors of these entries, by id; entries without one are left out. */
  vectors(principal: Principal, space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>>;
}

/** What a search expects to ask for, before it knows how common its words are. */
export interface Foreseen {
  /** Lexemes that are terms, of which those count that there are in the reach; and others that are only if they are. */
  readonly asked: readonly string[];
  readonly former: readonly string[];
  /** Lexemes of which none is expected in the reach: with any of them something else would be asked for. */
  readonly names: readonly string[];
  readonly probe: Pick<Probe, 'embedding' | 'endings'>;
  /** Of candidates, where there are no episodes in the reach. */
  readonly limit: number;
  readonly likely: Likely;
}

/** What will probably be found, roughly: the sum of these weights tells which entries to read whole at once. */
export interface Likely {
  readonly count: number;
  /** For all that words can tell, and all that meaning can. */
  readonly words: number;
  readonly meaning: number;
  /** The similarity at which meaning begins to tell, and how far beyond it levels off. */
  readonly mean: number;
  readonly spread: number;
  readonly importance: number;
  readonly confidence: number;
}

/** The reads of one search. */
export interface Recollection extends Pick<EntryStore & SearchIndex, 'textStatistics' | 'candidates' | 'find'> {
  /**
   * Whether it is worth telling what is going to be asked for before `textStatistics` is called: then whatever turns out as foreseen is
   * answered together. What does not is asked for as usual.
   */
  foresees?(principal: Principal, reach: Reach): boolean;
  foresee?(foreseen: Foreseen): void;
}

/** Entries as the core needs them: the store and the indexes over it. */
export interface Entries extends EntryStore, SearchIndex {
  /**
   * For one search, whose statistics and candidates may come from a cache: `find` is called last, even if nothing was
   * found, and throws `OutdatedRecollection` if the cache was stale. Absent or undefined if there is no gain.
   */
  recollection?(): Recollection | undefined;
}
