/** The state of one tenant: read from memory while nobody else has written, from its file otherwise. */

import type { StateItem } from '../../domain/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Keeping, StatePlace, StateSize } from '../../ports/state-store.ts';
import { removing, type Decide } from '../sql/state-change.ts';
import { heldOf, itemOf, type StateRow } from '../sql/state-row.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { IsFresh } from './sqlite-freshness.ts';
import { SqliteStateCache } from './sqlite-state-cache.ts';
import {
  CLEAR_STATE,
  FREQUENT_STATE,
  keptOf,
  LIST_STATE,
  MEASURE_STATE,
  READ_STATE,
  SWEEP_STATE,
  type KeptState,
  type KeptStateRow,
} from './sqlite-state-statements.ts';
import { SqliteStateWriter, type StateCommits } from './sqlite-state-writer.ts';

const EMPTY: StateSize = { count: 0, bytes: 0, accesses: 0 };

/** Expired values that one job removes: others wait for it. */
const MAX_SWEEP = 256;

export class SqliteState {
  readonly #reading: SqliteConnection;
  readonly #commits: StateCommits;
  readonly #clock: Clock;
  readonly #cache = new SqliteStateCache();
  readonly #isFresh: IsFresh;
  readonly #writer: SqliteStateWriter;
  #latest = 0;

  constructor(isFresh: IsFresh, reading: SqliteConnection, commits: StateCommits, clock: Clock) {
    this.#reading = reading;
    this.#commits = commits;
    this.#clock = clock;
    this.#isFresh = isFresh;
    this.#writer = new SqliteStateWriter(commits, this.#cache, () => this.#now());
  }

  get(namespace: string, key: string): StateItem | null {
    const held = this.#find(namespace, key);
    if (held === undefined) return null;
    const now = this.#now();
    if (held.expiresAt === null || held.expiresAt > now) return itemOf(key, held);
    if (held.keptUntil === null || held.keptUntil <= now) this.#writer.sweep();
    return null;
  }

  list(namespace: string, limit: number, afterKey: string): StateItem[] {
    const rows = this.#reading.all<StateRow & { readonly key: string }>(
      LIST_STATE,
      namespace,
      afterKey,
      this.#now(),
      limit,
    );
    return rows.map((row) => itemOf(row.key, heldOf(row)));
  }

  /** `decide` must leave a value. Whoever writes is entered among the users. */
  async write(userId: string, namespace: string, key: string, decide: Decide): Promise<StateItem> {
    const held = await this.#writer.change(namespace, key, decide, userId);
    if (!held) throw new Error('A write of state left nothing behind.');
    return itemOf(key, held);
  }

  async remove(namespace: string, key: string, ifVersion: number | undefined): Promise<boolean> {
    return (await this.#writer.change(namespace, key, removing(key, ifVersion))) === null;
  }

  async clear(namespace: string): Promise<number> {
    const removed = await this.#commits.write(
      (connection) => connection.all<Pick<StateRow, 'expires_at'> & { readonly key: string }>(CLEAR_STATE, namespace),
      (rows) => {
        for (const { key } of rows) this.#cache.delete(namespace, key);
      },
    );
    const now = this.#now();
    return removed.filter((row) => row.expires_at === null || row.expires_at > now).length;
  }

  touch(namespace: string, key: string, keeping: Keeping | undefined): void {
    this.#writer.touch(namespace, key, keeping);
  }

  get pendingTouches(): number {
    return this.#writer.pendingTouches;
  }

  /** With the accesses that are not written down yet. */
  async measure(namespace: string): Promise<StateSize> {
    await this.#writer.flush();
    return this.#reading.first<StateSize>(MEASURE_STATE, namespace, this.#now()) ?? EMPTY;
  }

  /** The same. */
  async frequent(
    prefix: string,
    accesses: number,
    limit: number,
    after: StatePlace,
  ): Promise<(StateItem & StatePlace)[]> {
    await this.#writer.flush();
    const values = [prefix, prefix, after.namespace, after.key, accesses, this.#now(), limit];
    const rows = this.#reading.all<StateRow & StatePlace>(FREQUENT_STATE, ...values);
    return rows.map((row) => ({ namespace: row.namespace, ...itemOf(row.key, heldOf(row)) }));
  }

  /** Writes down the accesses that were counted. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Forgets them instead. */
  drop(): void {
    this.#writer.drop();
  }

  /** How many are gone. */
  async sweep(): Promise<number> {
    const now = this.#now();
    let count = 0;
    for (let some = MAX_SWEEP; some === MAX_SWEEP; count += some) {
      some = await this.#commits.write((connection) => connection.run(SWEEP_STATE, now, MAX_SWEEP).changes);
    }
    return count;
  }

  /** Lets go of what is held in memory: for whoever changes the table by other ways than these. */
  forget(): void {
    this.#cache.clear();
  }

  #find(namespace: string, key: string): KeptState | undefined {
    if (!this.#isFresh()) this.#cache.clear();
    const held = this.#cache.get(namespace, key);
    if (held) return held;
    const row = this.#reading.first<KeptStateRow>(READ_STATE, namespace, key);
    if (row === undefined) return undefined;
    const found = keptOf(row);
    this.#cache.set(namespace, key, found);
    return found;
  }

  /** Never goes back: what has expired once must not come back when somebody sets the clock. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock.now());
    return this.#latest;
  }
}
