/** JSON values under keys, hot: read from memory, written through durably. */

import type { Principal } from '../domain/principal.ts';
import type { Mutation, StateItem } from '../domain/state.ts';

export interface StateWrite {
  readonly mutation: Mutation;
  /** Throws `VERSION_CONFLICT` unless this is the version that stands there; 0 means that nothing may stand there. */
  readonly ifVersion?: number | undefined;
  /** Milliseconds since the epoch; null for never; undefined leaves it as it is. */
  readonly expiresAt?: number | null | undefined;
}

/** What has expired is not there, from that moment on. A namespace is a text that is equal for equal namespaces only. */
export interface StateStore {
  get(principal: Principal, namespace: string, key: string): Promise<StateItem | null>;
  /** In the order of the keys, at most `limit`, after `afterKey` where given. */
  list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]>;
  /** Atomic, and durable once it resolves. */
  write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem>;
  /** False when nothing was there. */
  remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean>;
  /** How many values were removed. */
  clear(principal: Principal, namespace: string): Promise<number>;
}
