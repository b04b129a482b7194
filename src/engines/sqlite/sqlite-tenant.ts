/** A tenant's file, open: one connection that writes, one that reads, and the accesses still to be counted. */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteEntryReader } from './sqlite-entry-reader.ts';
import { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';
import { SqliteGroupCommit } from './sqlite-group-commit.ts';
import { migrate, type Migration } from './sqlite-migrations.ts';
import { SqliteRecall } from './sqlite-recall.ts';

const COUNT_ACCESS = 'UPDATE entries SET access_count = access_count + ?, last_accessed_at = ? WHERE id = ?';

/** Accesses are counted in memory and written down this much later, together with others. */
const TOUCH_DELAY_MS = 1000;

export class SqliteTenant {
  readonly reader: SqliteEntryReader;
  readonly recall: SqliteRecall;
  readonly #clock: Clock;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  readonly #commits: SqliteGroupCommit;
  readonly #touched = new Map<string, { count: number; at: number }>();
  #touchTimer: NodeJS.Timeout | undefined;

  constructor(file: string, migrations: readonly Migration[], clock: Clock) {
    // The data is nobody else's business on this machine either.
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#clock = clock;
    this.#writing = new SqliteConnection(file, { readonly: false });
    migrate(this.#writing.db, migrations, clock.now());
    this.#reading = new SqliteConnection(file, { readonly: true });
    this.#commits = new SqliteGroupCommit(this.#writing.db, clock);
    this.reader = new SqliteEntryReader(this.#reading, clock);
    this.recall = new SqliteRecall(this.#reading, clock);
  }

  /** Runs work on the writing connection in a transaction; see {@link SqliteGroupCommit.run}. */
  write<T>(work: (connection: SqliteConnection) => T | Promise<T>): Promise<T> {
    return this.#commits.run(async () => work(this.#writing));
  }

  /** The connection to read by, outside of any transaction. */
  get connection(): SqliteConnection {
    return this.#reading;
  }

  transaction<T>(actorId: string, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    return this.#commits.run(() => work(new SqliteEntryTransaction(this.#writing, this.#clock, actorId)));
  }

  touch(ids: readonly string[]): void {
    const at = this.#clock.now();
    for (const id of ids) this.#touched.set(id, { count: (this.#touched.get(id)?.count ?? 0) + 1, at });
    // A failed count is not worth an error: the accesses stay where they are and go with the next flush.
    this.#touchTimer ??= setTimeout(() => void this.#flushTouches().catch(() => {}), TOUCH_DELAY_MS).unref();
  }

  async #flushTouches(): Promise<void> {
    clearTimeout(this.#touchTimer);
    this.#touchTimer = undefined;
    if (this.#touched.size === 0) return;
    const touches = [...this.#touched];
    await this.#commits.run(async () => {
      for (const [id, { count, at }] of touches) this.#writing.run(COUNT_ACCESS, count, at, id);
      this.#touched.clear();
    });
  }

  /** Writes out what is pending and closes the file; the last one out folds the log into it. */
  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#flushTouches().catch(() => {});
    clearTimeout(this.#touchTimer);
    this.#reading.close();
    this.#writing.close();
  }
}
