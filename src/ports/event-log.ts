/** What happened to memories, in an order in which it can be followed. */

import type { Event } from '../domain/event.ts';
import type { PoolChange } from '../domain/pool.ts';
import type { Principal } from '../domain/principal.ts';
import type { StreamPage } from '../domain/stream.ts';

/**
 * A principal sees the events of shared memories and of its own; those of an agent's own memory are seen only by that
 * agent, or by its user without an agent. An update that changes who may see the memory is seen by everyone.
 */
export interface EventLog {
  /**
   * At most `limit` events after a position (from the beginning where there is none). A reader that continues gets every
   * event once, even those of transactions that commit late, and a write that was acknowledged before another began comes
   * before it. Fewer than `limit` means that there are no more for now. Throws `VALIDATION_FAILED` for an invalid position,
   * and for one that the log no longer reaches back to.
   */
  read(principal: Principal, after: string | undefined, limit: number): Promise<StreamPage<Event>>;
  /**
   * The same for the values of one pool, which are in no other stream: what was written, removed, cleared, or expired and
   * swept. The caller must be allowed to read the pool.
   */
  readPool(
    principal: Principal,
    poolId: string,
    after: string | undefined,
    limit: number,
  ): Promise<StreamPage<PoolChange>>;
  /** The current position: everything after it is not yet acknowledged. */
  head(principal: Principal): Promise<string>;
  /**
   * Calls `wake` when there may be something new in the tenant, from any process, and when the engine closes. Only a hint:
   * it may come late, twice or for nothing. Returns a function that stops it.
   */
  watch(tenantId: string, wake: () => void): () => void;
  /** The same for every tenant, but only for what this process writes. */
  watchAll(wake: (tenantId: string) => void): () => void;
}
