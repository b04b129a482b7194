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

/** All given conditions hold together. */
export interface FactQuery extends Partial<Record<keyof Statement, string | undefined>> {
  readonly scopes: readonly Scope[];
  readonly time: FactTime;
  readonly minConfidence?: number | undefined;
  readonly limit: number;
  /** Strictly after this one. */
  readonly after?: Pick<Fact, 'confidence' | 'createdAt' | 'factId'> | undefined;
}

/** Facts that lead away from nodes, which are subjects or objects. */
export interface EdgeQuery {
  readonly scopes: readonly Scope[];
  readonly nodes: readonly string[];
  readonly direction: Direction;
  readonly predicates?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly at: number;
  readonly limit: number;
}

/** What says one thing, or without an object: everything that is said under a predicate of a subject. */
export interface TimelineQuery extends Omit<Statement, 'object'> {
  readonly object?: string | undefined;
  readonly scope: Scope;
  /** ISO time: only what has not ended by then. */
  readonly from: string;
}

/** One transaction. Everything that it wrote is durable once the promise of `transaction` resolves. */
export interface FactTransaction {
  /** In no particular order; ids that are not there are left out. */
  find(ids: readonly string[]): Promise<Fact[]>;
  /** What answers any of the queries, each fact once. Nobody else writes to these scopes until the transaction ends. */
  timelines(queries: readonly TimelineQuery[]): Promise<Fact[]>;
  /** Throws when an id is taken, also by what the principal cannot see. */
  insert(drafts: readonly FactDraft[]): Promise<Fact[]>;
  /** In the place of those that have their ids. What a fact says and where it lies stays. */
  replace(drafts: readonly FactDraft[]): Promise<Fact[]>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface FactStore {
  /**
   * Runs `work` as if alone in the scopes that it touches, atomically. A thrown error leaves nothing behind. `work` may run
   * more than once: it has no effects but through `tx`, and only its last result counts.
   */
  transaction<T>(principal: Principal, work: (tx: FactTransaction) => Promise<T>): Promise<T>;
  find(principal: Principal, id: string): Promise<Fact | null>;
  /** The most certain first, then those created last, then by id, from the highest. */
  list(principal: Principal, query: FactQuery): Promise<Fact[]>;
  /** In no particular order. One between two of the nodes may come twice; where there are more than the limit, any of them. */
  edges(principal: Principal, query: EdgeQuery): Promise<Fact[]>;
}
