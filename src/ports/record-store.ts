/** Records: the coordination objects, each kind in a store of its own, all with the same few primitives. */

import type { ApiKeyRecord } from '../domain/api-key.ts';
import type { ContextAccessRecord, ContextRecord, SnapshotRecord } from '../domain/context.ts';
import type { MaintenanceRunRecord } from '../domain/maintenance.ts';
import type { PlanContext } from '../domain/plan-context.ts';
import type { Plan } from '../domain/plan.ts';
import type { PoolRecord } from '../domain/pool.ts';
import type { Principal } from '../domain/principal.ts';
import type { Session } from '../domain/session.ts';
import type { TaskContextRecord } from '../domain/task-context.ts';

/** What every record has. Times are ISO 8601. */
export interface Recorded {
  /**
   * Given by the store, which never gives the same one twice in a tenant: a record that was deleted and created again has
   * no version that a client may remember, so compare-and-set cannot be fooled.
   */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A record to be written; the store gives it its version. */
export type Draft<R extends Recorded> = Omit<R, 'version'>;

/** Fields that must equal one of these values. */
export type Where<R> = { readonly [Field in keyof R]?: readonly R[Field][] };

/** By what right a user sees a record: as its owner, as a member, or like everyone. */
export type Relation = 'owner' | 'member' | 'everyone';

export interface RecordQuery<R> {
  readonly where: Where<R>;
  /** Only what the user sees by this right and no stronger one. Default: all that the user sees. */
  readonly relation?: Relation | undefined;
  readonly limit: number;
  /** The last record of the page before: the time that its kind is listed by, and its key. */
  readonly after?: { readonly at: string; readonly key: string } | undefined;
}

/**
 * Keys are unique within a tenant. Records with an owner are changed only by that user, and seen by that user and by their
 * members, if the kind has any; for everyone else they do not exist, though their key is taken. Every change is atomic, and
 * durable once it resolves.
 */
export interface RecordStore<R extends Recorded> {
  /** Null if the key is taken. */
  create(principal: Principal, draft: Draft<R>): Promise<R | null>;
  get(principal: Principal, key: string): Promise<R | null>;
  /** The newest record that lists this value among its links (sub-tasks of a task, correlation ids of a plan). */
  findByLink(principal: Principal, link: string): Promise<R | null>;
  /** Reads, changes and writes in one transaction; null if it does not exist. If `change` throws, nothing changes. */
  change(principal: Principal, key: string, change: (current: R) => Draft<R>): Promise<R | null>;
  /** The removed record; null if there was none. If `check` throws, nothing is removed. */
  remove(principal: Principal, key: string, check?: (current: R) => void): Promise<R | null>;
  /** Removes every record with these values, of which at least one is required; returns how many there were. */
  removeAll(principal: Principal, where: Where<R>): Promise<number>;
  /** Newest first by the time that its kind is listed by, ties by key. */
  list(principal: Principal, query: RecordQuery<R>): Promise<R[]>;
}

export interface RecordStores {
  readonly plans: RecordStore<Plan>;
  readonly planContexts: RecordStore<PlanContext>;
  readonly sessions: RecordStore<Session>;
  readonly taskContexts: RecordStore<TaskContextRecord>;
  readonly apiKeys: RecordStore<ApiKeyRecord>;
  readonly pools: RecordStore<PoolRecord>;
  readonly contexts: RecordStore<ContextRecord>;
  readonly contextSnapshots: RecordStore<SnapshotRecord>;
  readonly contextAccesses: RecordStore<ContextAccessRecord>;
  readonly maintenanceRuns: RecordStore<MaintenanceRunRecord>;
}
