/**
 * Writes state: the changes that arrive together go as one job of the group commit, so that each costs little more
 * than its own row. One that is refused has touched nothing and takes nothing with it.
 */

import type { EventType } from '../../domain/event.ts';
import { isPoolNamespace } from '../../domain/namespace.ts';
import { isRefusal, type Decide } from '../sql/state-change.ts';
import type { Keeping } from '../../ports/state-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteStateCache } from './sqlite-state-cache.ts';
import {
  FIND_OVER,
  keptOf,
  PUT_STATE,
  READ_CLOCK,
  READ_STATE,
  RECORD_POOL_CHANGE,
  REMOVE_STATE,
  SET_CLOCK,
  SWEEP_STATE,
  type KeptState,
  type KeptStateRow,
} from './sqlite-state-statements.ts';
import { countAccesses, SqliteStateTouches, type Counted } from './sqlite-state-touches.ts';

/** The tenant, as far as somebody needs it who writes in its file. */
export interface StateCommits {
  /** As {@link SqliteTenant.write} does. */
  write<T>(work: (connection: SqliteConnection) => T, committed?: (value: T) => void, size?: () => number): Promise<T>;
  /** As {@link SqliteTenant.enter} does. */
  enter(connection: SqliteConnection, userIds: Iterable<string>): () => void;
}

/** Bounds how long one job can take. */
const MAX_BATCH = 64;

/** Expired values that a job removes on its way. */
const MAX_SWEEP = 64;

/** Accesses are written down this much later, if no job comes along before. */
const TOUCH_DELAY_MS = 1000;

interface Change {
  readonly namespace: string;
  readonly key: string;
  readonly decide: Decide;
  /** What stands there now; null when it was removed; undefined when it was left as it is. */
  readonly done: (held: KeptState | null | undefined) => void;
  readonly refuse: (error: unknown) => void;
}

/** Changes that arrive together, and who asks for them. */
interface Batch {
  readonly changes: Change[];
  readonly userIds: Set<string>;
}

type Outcome = { readonly held: KeptState | null | undefined } | { readonly error: unknown };

export class SqliteStateWriter {
  readonly #commits: StateCommits;
  readonly #cache: SqliteStateCache;
  readonly #now: () => number;
  readonly #touches = new SqliteStateTouches();
  #touchTimer: NodeJS.Timeout | undefined;
  /** The job that has not begun yet. */
  #open: Batch | undefined;

  constructor(commits: StateCommits, cache: SqliteStateCache, now: () => number) {
    this.#commits = commits;
    this.#cache = cache;
    this.#now = now;
  }

  /** Resolves when it is durable: as {@link Change.done}. The empty id is nobody's. */
  change(namespace: string, key: string, decide: Decide, userId = ''): Promise<KeptState | null | undefined> {
    return new Promise((done, refuse) => {
      const { changes, userIds } = this.#batch();
      changes.push({ namespace, key, decide, done, refuse });
      userIds.add(userId);
    });
  }

  /** Has expired values removed, soon. */
  sweep(): void {
    this.#batch();
  }

  get pendingTouches(): number {
    return this.#touches.size;
  }

  /** Counts an access with the next job, or soon. */
  touch(namespace: string, key: string, keeping: Keeping | undefined): void {
    this.#touches.add({ namespace, key, count: 1, at: this.#now(), keeping });
    this.#touchTimer ??= setTimeout(() => void this.#batch(), TOUCH_DELAY_MS).unref();
  }

  /** Resolves when the accesses that were counted so far are written down, or could not be. */
  async flush(): Promise<void> {
    if (this.#touches.size === 0) return;
    await this.change('', '', () => undefined).catch(() => {});
  }

  /** Lets go of accesses that are not written down. */
  drop(): void {
    clearTimeout(this.#touchTimer);
    this.#touchTimer = undefined;
    this.#touches.take();
  }

  #batch(): Batch {
    if (this.#open && this.#open.changes.length < MAX_BATCH) return this.#open;
    const batch: Batch = { changes: [], userIds: new Set() };
    const { changes, userIds } = batch;
    this.#open = batch;
    const begun = (): void => {
      if (this.#open === batch) this.#open = undefined;
    };
    let touches: ReturnType<SqliteStateTouches['take']> = [];
    const work = (connection: SqliteConnection) => {
      begun();
      // It may be run again: then these are counted still, with those that came since.
      touches = [...touches, ...this.#takeTouches()];
      // Before the changes, because they were read before; and before what has expired goes, unless it is kept now.
      const counted = countAccesses(connection, touches);
      return { counted, settle: this.#commits.enter(connection, userIds), outcomes: this.#run(connection, changes) };
    };
    const committed = ({ counted, settle, outcomes }: ReturnType<typeof work>): void => {
      settle();
      this.#settle(changes, outcomes, counted);
    };
    this.#commits
      .write(work, committed, () => changes.length)
      .catch((error: unknown) => {
        begun();
        // Not worth an error: they go with the next job.
        for (const touch of touches) this.#touches.add(touch);
        for (const change of changes) change.refuse(error);
      });
    return batch;
  }

  #takeTouches(): ReturnType<SqliteStateTouches['take']> {
    clearTimeout(this.#touchTimer);
    this.#touchTimer = undefined;
    return this.#touches.take();
  }

  #run(connection: SqliteConnection, changes: readonly Change[]): Outcome[] {
    const now = this.#now();
    const clock = connection.first<{ readonly version: number }>(READ_CLOCK)?.version ?? 0;
    let version = clock;
    const outcomes = changes.map((change): Outcome => {
      try {
        return { held: apply(connection, change, now, () => (version += 1)) };
      } catch (error) {
        // A refusal comes before anything is written; everything else fails the job as a whole.
        if (isRefusal(error)) return { error };
        throw error;
      }
    });
    if (version !== clock) connection.run(SET_CLOCK, version);
    if (connection.first(FIND_OVER, now) !== undefined) connection.run(SWEEP_STATE, now, MAX_SWEEP);
    return outcomes;
  }

  /** Also refusals are told only now: they may rest on changes that were committed with them. */
  #settle(changes: readonly Change[], outcomes: readonly Outcome[], counted: readonly Counted[]): void {
    for (const accesses of counted) this.#cache.count(accesses);
    for (const [index, { namespace, key, done, refuse }] of changes.entries()) {
      const outcome = outcomes[index] ?? { error: undefined };
      if ('error' in outcome) {
        refuse(outcome.error);
        continue;
      }
      const { held } = outcome;
      if (held) this.#cache.set(namespace, key, held);
      else if (held === null) this.#cache.delete(namespace, key);
      done(held);
    }
  }
}

function apply(
  connection: SqliteConnection,
  { namespace, key, decide }: Change,
  now: number,
  nextVersion: () => number,
): KeptState | null | undefined {
  const stored = connection.first<KeptStateRow>(READ_STATE, namespace, key);
  const current = stored && (stored.expires_at === null || stored.expires_at > now) ? stored : undefined;
  const next = decide(current);
  if (next === undefined) return undefined;
  if (next === null) {
    connection.run(REMOVE_STATE, namespace, key);
    return null;
  }
  // What has expired is another value, though it may still lie there.
  if (stored && !current) connection.run(REMOVE_STATE, namespace, key);
  const row: KeptStateRow = {
    value: next.json,
    version: nextVersion(),
    created_at: current?.created_at ?? now,
    updated_at: now,
    expires_at: next.expiresAt,
    access_count: current?.access_count ?? 0,
    last_accessed_at: current?.last_accessed_at ?? null,
    kept_until: keptAfter(current, next.expiresAt),
  };
  put(connection, namespace, key, row);
  if (isPoolNamespace(namespace)) {
    const type: EventType = current ? 'updated' : 'created';
    connection.run(RECORD_POOL_CHANGE, type, row.version, now, namespace, key);
  }
  return keptOf(row);
}

function put(connection: SqliteConnection, namespace: string, key: string, row: KeptStateRow): void {
  const times = [row.created_at, row.updated_at, row.expires_at];
  const accesses = [row.access_count, row.last_accessed_at, row.kept_until];
  connection.run(PUT_STATE, namespace, key, row.value, row.version, ...times, ...accesses);
}

/** What is kept beyond its time is kept as long beyond a new one. */
function keptAfter(current: KeptStateRow | undefined, expiresAt: number | null): number | null {
  if (!current || current.kept_until === null || current.expires_at === null || expiresAt === null) return null;
  return expiresAt + (current.kept_until - current.expires_at);
}
