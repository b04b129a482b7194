/** What happened to memories, in an order in which it can be followed. */

import type { Event } from '../domain/event.ts';
import type { PoolChange } from '../domain/pool.ts';
import type { Principal } from '../domain/principal.ts';
import type { StreamPage } from '../domain/stream.ts';

/**
 * Everyone sees the events of what everyone may see, and of what is theirs alone; those of an agent's own memory only
 * that agent, or its user without an agent. An update that changes who may see the memory is seen by everyone.
 */
export interface EventLog {
  /**
   * At most `limit` events after a position (from the beginning where there is none). Whoever reads on gets every event
   * once, also those of transactions that commit late, and what was acknowledged before something else began before it.
   * Fewer than `limit` means that there are no more for now. Throws `VALIDATION_FAILED` for what is no position.
   */
  read(principal: Principal, after: string | undefined, limit: number): Promise<StreamPage<Event>>;
  /**
   * The same for the values of one pool, which are in no other stream: what was written, removed, cleared or has expired and
   * was swept away. Whoever asks may read the pool.
   */
  readPool(
    principal: Principal,
    poolId: string,
    after: string | undefined,
    limit: number,
  ): Promise<StreamPage<PoolChange>>;
  /** The position of now: after it comes what is not acknowledged yet. */
  head(principal: Principal): Promise<string>;
  /**
   * Calls `wake` when there may be something new in the tenant, by whichever process, and when the engine closes. A hint
   * only: it may come late, twice or for nothing. Returns how to stop.
   */
  watch(tenantId: string, wake: () => void): () => void;
  /** The same for every tenant, but only for what this process writes. */
  watchAll(wake: (tenantId: string) => void): () => void;
}
