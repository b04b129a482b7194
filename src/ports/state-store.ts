/** JSON values under keys, hot: read from memory, written through durably. */

import type { Awaitable } from '../domain/awaitable.ts';
import type { Principal } from '../domain/principal.ts';
import type { Mutation, StateItem } from '../domain/state.ts';

export interface StateWrite {
  readonly mutation: Mutation;
  /** Throws `VERSION_CONFLICT` unless this is the current version; 0 means that there must be no value. */
  readonly ifVersion?: number | undefined;
  /** Milliseconds since the epoch; null for never; undefined leaves it as it is. */
  readonly expiresAt?: number | null | undefined;
  /** Throws `LIMIT_EXCEEDED` if the resulting value has more bytes than this as JSON. */
  readonly maxBytes: number;
}

/** How long a value that was read this often is kept, hidden, after its expiry, so that consolidation still finds it. */
export interface Keeping {
  readonly accesses: number;
  readonly ms: number;
}

/** What a namespace holds. */
export interface StateSize {
  readonly count: number;
  /** Of the values as JSON. */
  readonly bytes: number;
  /** The sum of all counted accesses. */
  readonly accesses: number;
}

/** A place in all of a tenant's state. */
export interface StatePlace {
  readonly namespace: string;
  readonly key: string;
}

/**
 * What has expired is not there, from that moment on. A namespace is a text that is equal only for equal namespaces. A read
 * sees every write, by whichever process, that was acknowledged before the current turn of the event loop began, and every
 * write of this process that was acknowledged at all. Values are the caller's own: mutating one that was passed in or
 * returned does not affect the store. Versions never repeat and grow per key, even if the key was removed meanwhile; gaps
 * are allowed, so one sequence per tenant, or for all tenants, suffices.
 */
export interface StateStore {
  /** At once where it is held in memory; what fails may then be thrown at once as well. */
  get(principal: Principal, namespace: string, key: string): Awaitable<StateItem | null>;
  /** Sorted by key, by code point, at most `limit`, after `afterKey` if given. */
  list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]>;
  /** Atomic, and durable once it resolves. A failed call changes nothing. */
  write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem>;
  /** False if there was no value. Throws `VERSION_CONFLICT` if there was another version. */
  remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean>;
  /** How many values were removed. */
  clear(principal: Principal, namespace: string): Promise<number>;
  /**
   * Counts an access; deferred, so that it never delays a read, and without a new version. A value kept past its expiry
   * because of it stays hidden; only {@link frequent} finds it.
   */
  touch(principal: Principal, namespace: string, key: string, keeping?: Keeping): void;
  /** The size of a namespace, without expired values. */
  measure(principal: Principal, namespace: string): Promise<StateSize>;
  /**
   * Values of any user that were read at least this often, in namespaces with a prefix; sorted by namespace and key, at
   * most `limit`, after a place if given. Includes expired values that are kept: see {@link touch}. The caller is
   * responsible for access control.
   */
  frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after?: StatePlace,
  ): Promise<(StateItem & StatePlace)[]>;
  /**
   * Removes expired values, in all tenants where the engine does not do so on its own. Runs until done or until the signal
   * aborts; any number of processes may run it at once. Returns how many were removed, as far as known. Restricted to one
   * tenant, if given.
   */
  sweep(signal: AbortSignal, tenantId?: string): Promise<number>;
}
