/**
 * Writes state: the changes that arrive together go as one job of the group commit, so that each costs little more
 * than its own row. One that is refused has touched nothing and takes nothing with it.
 */

import { isRefusal, type Decide } from '../sql/state-change.ts';
import { heldOf, type HeldState, type StateRow } from '../sql/state-row.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteStateCache } from './sqlite-state-cache.ts';
import { PUT_STATE, READ_CLOCK, READ_STATE, REMOVE_STATE, SET_CLOCK, SWEEP_STATE } from './sqlite-state-statements.ts';

/** As {@link SqliteTenant.write} does. */
export type CommitWrite = <T>(work: (connection: SqliteConnection) => T, committed?: (value: T) => void) => Promise<T>;

/** Bounds how long one job can take. */
const MAX_BATCH = 64;

/** Expired values that a job removes on its way. */
const MAX_SWEEP = 64;

interface Change {
  readonly namespace: string;
  readonly key: string;
  readonly decide: Decide;
  /** What stands there now; null when it was removed; undefined when it was left as it is. */
  readonly done: (held: HeldState | null | undefined) => void;
  readonly refuse: (error: unknown) => void;
}

type Outcome = { readonly held: HeldState | null | undefined } | { readonly error: unknown };

export class SqliteStateWriter {
  readonly #commit: CommitWrite;
  readonly #cache: SqliteStateCache;
  readonly #now: () => number;
  /** The job that has not begun yet. */
  #open: Change[] | undefined;

  constructor(commit: CommitWrite, cache: SqliteStateCache, now: () => number) {
    this.#commit = commit;
    this.#cache = cache;
    this.#now = now;
  }

  /** Resolves when it is durable: as {@link Change.done}. */
  change(namespace: string, key: string, decide: Decide): Promise<HeldState | null | undefined> {
    return new Promise((done, refuse) => {
      this.#batch().push({ namespace, key, decide, done, refuse });
    });
  }

  /** Has expired values removed, soon. */
  sweep(): void {
    this.#batch();
  }

  #batch(): Change[] {
    if (this.#open && this.#open.length < MAX_BATCH) return this.#open;
    const batch: Change[] = [];
    this.#open = batch;
    const begun = (): void => {
      if (this.#open === batch) this.#open = undefined;
    };
    this.#commit(
      (connection) => {
        begun();
        return this.#run(connection, batch);
      },
      (outcomes) => this.#settle(batch, outcomes),
    ).catch((error: unknown) => {
      begun();
      for (const change of batch) change.refuse(error);
    });
    return batch;
  }

  #run(connection: SqliteConnection, batch: readonly Change[]): Outcome[] {
    const now = this.#now();
    const clock = connection.first<{ readonly version: number }>(READ_CLOCK)?.version ?? 0;
    let version = clock;
    const outcomes = batch.map((change): Outcome => {
      try {
        return { held: apply(connection, change, now, () => (version += 1)) };
      } catch (error) {
        // A refusal comes before anything is written; everything else fails the job as a whole.
        if (isRefusal(error)) return { error };
        throw error;
      }
    });
    if (version !== clock) connection.run(SET_CLOCK, version);
    connection.run(SWEEP_STATE, now, MAX_SWEEP);
    return outcomes;
  }

  /** Also refusals are told only now: they may rest on changes that were committed with them. */
  #settle(batch: readonly Change[], outcomes: readonly Outcome[]): void {
    for (const [index, { namespace, key, done, refuse }] of batch.entries()) {
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
): HeldState | null | undefined {
  const stored = connection.first<StateRow>(READ_STATE, namespace, key);
  const current = stored && (stored.expires_at === null || stored.expires_at > now) ? stored : undefined;
  const next = decide(current);
  if (next === undefined) return undefined;
  if (next === null) {
    connection.run(REMOVE_STATE, namespace, key);
    return null;
  }
  const row: StateRow = {
    value: next.json,
    version: nextVersion(),
    created_at: current?.created_at ?? now,
    updated_at: now,
    expires_at: next.expiresAt,
  };
  connection.run(PUT_STATE, namespace, key, row.value, row.version, row.created_at, row.updated_at, row.expires_at);
  return heldOf(row);
}
