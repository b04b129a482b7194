/** What the engine needs of a connection to PostgreSQL: the same for a server and for one inside this process. */

import type { Statement } from './postgres-statement.ts';

/** Lists travel as arrays (`= ANY ($1::uuid[])`), whatever has more to it as JSON text, and bytes as the server has the type in memory. */
export type Parameter = string | number | boolean | null | readonly string[] | readonly number[] | Uint8Array;

export type Row = Readonly<Record<string, unknown>>;

export interface PostgresResult<R> {
  readonly rows: R[];
  /** How many rows the statement read or changed. */
  readonly count: number;
}

/** A connection of one's own, until it is released. */
export interface PostgresConnection {
  /**
   * Statements run in the order in which they are asked for, and are sent at once: whoever does not wait for the one
   * before saves a round trip. `bigint` comes as number, JSON parsed. Without `values` it may be several statements in
   * one text, as migrations are; with them, even with none of them, it is one and is prepared. Where no answer has come
   * after `patienceMs`, the connection is given up as lost, with all that is under way on it.
   */
  query<R = Row>(sql: string, values?: readonly Parameter[], patienceMs?: number): Promise<PostgresResult<R>>;
  /**
   * A transaction of its own in one message, answered as its last statement is, once it is committed. Nothing else may be under way.
   * Absent where nothing is gained by it.
   */
  transact?<R = Row>(statements: readonly Statement[], patienceMs?: number): Promise<PostgresResult<R>>;
  /** Gives it back. One that is broken, or left in the middle of something, is `spoiled` and not used again. */
  release(spoiled?: boolean): void;
}

export interface Subscription {
  /** False while its connection is lost. */
  readonly isLive: boolean;
  close(): Promise<void>;
}

/** How a pool is used at the moment. */
export interface PoolLoad {
  readonly used: number;
  readonly idle: number;
  /** Who waits for a connection. */
  readonly waiting: number;
}

export interface PostgresDriver {
  /** Absent where there is no pool. */
  load?(): PoolLoad;
  /** Waits for a free one. Throws what {@link isLost} knows when the database cannot be reached. */
  reserve(): Promise<PostgresConnection>;
  /**
   * A connection outside of the pool, for what lasts: a lock of a session. Where a transaction pooler stands between,
   * it goes around it. Whoever holds it asks something every few seconds: a server takes one that is silent for lost.
   * `lost` is called once when it breaks.
   */
  dedicate(lost: () => void): Promise<PostgresConnection>;
  /** `ready` is called each time that listening begins: whatever was said before then has been missed. */
  listen(channel: string, heard: (payload: string) => void, ready: () => void): Promise<Subscription>;
  close(): Promise<void>;
}
