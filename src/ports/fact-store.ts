/**
 * The durable truth about facts. An engine implements these primitives; what they are used for is decided in `core/`. As
 * with entries every call carries the principal, and the core never asks for a scope that this one may not see.
 */

import type { Direction, Fact, Statement } from '../domain/fact.ts';
import type { Principal } from '../domain/principal.ts';
import type { Scope } from '../domain/scope.ts';

/** A fact to be written; the store gives it a version that none had before. */
export type FactDraft = Omit<Fact, 'version'>;

/** A time, in milliseconds, at which facts must hold; or any time. */
export type FactTime = { readonly at: number } | 'any';

/** All given conditions must hold. */
export interface FactQuery extends Partial<Record<keyof Statement, string | undefined>> {
  readonly scopes: readonly Scope[];
  readonly time: FactTime;
  readonly minConfidence?: number | undefined;
  readonly limit: number;
  /** Strictly after this one. */
  readonly after?: Pick<Fact, 'confidence' | 'createdAt' | 'factId'> | undefined;
}

/** Facts adjacent to nodes, which are subjects or objects. */
export interface EdgeQuery {
  readonly scopes: readonly Scope[];
  readonly nodes: readonly string[];
  readonly direction: Direction;
  readonly predicates?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly at: number;
  readonly limit: number;
}

/** Facts that say one thing, or, without an object, everything about a subject and predicate. */
export interface TimelineQuery extends Omit<Statement, 'object'> {
  readonly object?: string | undefined;
  readonly scope: Scope;
  /** ISO time: only what has not ended by then. */
  readonly from: string;
}

/** One transaction. Everything that it wrote is durable once the promise of `transaction` resolves. */
export interface FactTransaction {
  /** In no particular order; unknown ids are left out. */
  find(ids: readonly string[]): Promise<Fact[]>;
  /** Facts that match any of the queries, each once. Locks these scopes for writing until the transaction ends. */
  timelines(queries: readonly TimelineQuery[]): Promise<Fact[]>;
  /** Throws if an id is taken, even by a fact that the principal cannot see. */
  insert(drafts: readonly FactDraft[]): Promise<Fact[]>;
  /** Replaces those with the same ids. What a fact says and its scope stay. */
  replace(drafts: readonly FactDraft[]): Promise<Fact[]>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface FactStore {
  /**
   * Runs `work` atomically, serialised within the scopes that it touches. A thrown error rolls back. `work` may run more
   * than once: it must have no effects except through `tx`, and only its last result counts.
   */
  transaction<T>(principal: Principal, work: (tx: FactTransaction) => Promise<T>): Promise<T>;
  find(principal: Principal, id: string): Promise<Fact | null>;
  /** Most certain first, then newest, then by id, descending. */
  list(principal: Principal, query: FactQuery): Promise<Fact[]>;
  /**
   * In no particular order. A fact between two of the nodes may come twice; beyond the limit, which ones are returned is
   * arbitrary.
   */
  edges(principal: Principal, query: EdgeQuery): Promise<Fact[]>;
}
