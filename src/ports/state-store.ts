/** JSON values under keys, hot: read from memory, written through durably. */

import type { Principal } from '../domain/principal.ts';
import type { Mutation, StateItem } from '../domain/state.ts';

export interface StateWrite {
  readonly mutation: Mutation;
  /** Throws `VERSION_CONFLICT` unless this is the version that stands there; 0 means that nothing may stand there. */
  readonly ifVersion?: number | undefined;
  /** Milliseconds since the epoch; null for never; undefined leaves it as it is. */
  readonly expiresAt?: number | null | undefined;
  /** Throws `LIMIT_EXCEEDED` when the value, as it would stand there, has more bytes than this as JSON. */
  readonly maxBytes: number;
}

/** How long something outlives its time, out of sight, once it was read so often: until it was looked at for good. */
export interface Keeping {
  readonly accesses: number;
  readonly ms: number;
}

/** What a namespace holds. */
export interface StateSize {
  readonly count: number;
  /** Of the values as JSON. */
  readonly bytes: number;
  /** All accesses that were counted. */
  readonly accesses: number;
}

/** A place in all of a tenant's state. */
export interface StatePlace {
  readonly namespace: string;
  readonly key: string;
}

/**
 * What has expired is not there, from that moment on. A namespace is a text that is equal for equal namespaces only.
 * A read sees every write, by whichever process, that was acknowledged before the current turn of the event loop began,
 * and every write of this process that was acknowledged at all. Values are the caller's own: changing what was given or
 * got changes nothing that is stored. Versions never repeat and grow per key, also when the key was removed meanwhile;
 * they need not be without gaps, so that one sequence for the tenant, or for all of them, suffices.
 */
export interface StateStore {
  get(principal: Principal, namespace: string, key: string): Promise<StateItem | null>;
  /** In the order of the keys by code point, at most `limit`, after `afterKey` where given. */
  list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]>;
  /** Atomic, and durable once it resolves. A failed one has changed nothing. */
  write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem>;
  /** False when nothing was there. Throws `VERSION_CONFLICT` when another version was. */
  remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean>;
  /** How many values were removed. */
  clear(principal: Principal, namespace: string): Promise<number>;
  /**
   * Counts an access; soon, not now, never in the way of a read, and without a new version. What is kept beyond its time
   * by it stays out of sight all the same; only {@link frequent} finds it.
   */
  touch(principal: Principal, namespace: string, key: string, keeping?: Keeping): void;
  /** What stands in a namespace, and what of it has not expired. */
  measure(principal: Principal, namespace: string): Promise<StateSize>;
  /**
   * What was read at least so often, in namespaces that begin with a text, whoever's it is; in the order of namespaces and
   * keys, at most `limit`, after a place where given. Also what has expired and is kept: see {@link touch}. Whoever asks
   * answers for all users of the tenant.
   */
  frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after?: StatePlace,
  ): Promise<(StateItem & StatePlace)[]>;
  /**
   * Makes room: removes what has expired, in all tenants of which the engine does not do so by itself. Takes as long as it
   * takes, or until the signal tells to stop; any number of processes may be at it. How many are gone, as far as it is
   * known. Only of one tenant, where one is given.
   */
  sweep(signal: AbortSignal, tenantId?: string): Promise<number>;
}
