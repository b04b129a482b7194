/** Records: the coordination objects, each kind in a store of its own, all with the same few primitives. */

import type { ApiKeyRecord } from '../domain/api-key.ts';
import type { PlanContext } from '../domain/plan-context.ts';
import type { Plan } from '../domain/plan.ts';
import type { Principal } from '../domain/principal.ts';
import type { Session } from '../domain/session.ts';
import type { TaskContext } from '../domain/task-context.ts';

/** What every record has. Times are ISO 8601. */
export interface Recorded {
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface RecordQuery<R> {
  /** Fields that must equal one of these values. */
  readonly where: { readonly [Field in keyof R]?: readonly R[Field][] };
  readonly limit: number;
  /** The key of the last record of the page before; newest first, ties by key. */
  readonly after?: { readonly at: string; readonly key: string } | undefined;
}

/**
 * Keys are unique within a tenant. Records that have a user are seen and changed by that user only; for everyone else
 * they are not there, though their key is taken.
 */
export interface RecordStore<R extends Recorded> {
  /** False when the key is taken. */
  create(principal: Principal, record: R): Promise<boolean>;
  get(principal: Principal, key: string): Promise<R | null>;
  /** The record that lists this value among its links (sub-tasks of a task, correlation ids of a plan). */
  findByLink(principal: Principal, link: string): Promise<R | null>;
  /** Reads, changes and writes in one transaction; null when it is not there. What `change` throws leaves it alone. */
  change(principal: Principal, key: string, change: (current: R) => R): Promise<R | null>;
  /** What was removed; null when nothing was there. */
  remove(principal: Principal, key: string): Promise<R | null>;
  /** Newest first, by the time that its kind is listed by. */
  list(principal: Principal, query: RecordQuery<R>): Promise<R[]>;
}

export interface RecordStores {
  readonly plans: RecordStore<Plan>;
  readonly planContexts: RecordStore<PlanContext>;
  readonly sessions: RecordStore<Session>;
  readonly taskContexts: RecordStore<TaskContext>;
  readonly apiKeys: RecordStore<ApiKeyRecord>;
}
