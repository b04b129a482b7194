/**
 * Group commit: writes that arrive together share one transaction, and so one wait for the disk. Each runs in a
 * savepoint of its own, so that one that fails takes nothing with it, and is acknowledged only after the commit.
 */

import type { Database } from 'better-sqlite3';
import type { Clock } from '../../ports/clock.ts';
import { translated } from './sqlite-error.ts';
import { whenFree } from './sqlite-patience.ts';

interface Job {
  run(): Promise<void>;
  acknowledge(): void;
  fail(error: unknown): void;
}

/** Bounds how long one transaction can hold the file. */
const MAX_GROUP = 256;

export class SqliteGroupCommit {
  readonly #db: Database;
  readonly #clock: Clock;
  #queue: Job[] = [];
  /** What waits for the end of a transaction. */
  #between: (() => void)[] = [];
  #draining: Promise<void> | undefined;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Runs `work` inside a transaction. Resolves when it is durable. `work` must await nothing but the database.
   * `committed` is called in the same step as the commit, so that what memory holds changes together with the file;
   * it must not throw.
   */
  run<T>(work: () => Promise<T>, committed?: (value: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let value: T;
      this.#queue.push({
        run: async () => {
          value = await work();
        },
        acknowledge: () => {
          committed?.(value);
          resolve(value);
        },
        fail: (error) => reject(translated(error)),
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Runs `work` as soon as no transaction is open, between two groups. */
  between<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#between.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(translated(error));
        }
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when every write so far has been acknowledged or refused. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    // Everything else that this turn of the event loop brings joins the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length + this.#between.length > 0) {
      for (const work of this.#between.splice(0)) work();
      const group = this.#queue.splice(0, MAX_GROUP);
      if (group.length > 0) await this.#commit(group);
    }
    this.#draining = undefined;
  }

  async #commit(group: readonly Job[]): Promise<void> {
    const done: Job[] = [];
    try {
      await whenFree(this.#clock, () => this.#db.exec('BEGIN IMMEDIATE'));
      for (const job of group) {
        // A job alone needs no savepoint: when it fails, the whole transaction goes.
        if (group.length === 1) await job.run();
        else if (!(await this.#runInSavepoint(job))) continue;
        done.push(job);
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.open && this.#db.inTransaction) this.#db.exec('ROLLBACK');
      for (const job of group) job.fail(error);
      return;
    }
    for (const job of done) job.acknowledge();
  }

  /** False when the job failed; then it has left no trace and has been told. */
  async #runInSavepoint(job: Job): Promise<boolean> {
    this.#db.exec('SAVEPOINT job');
    try {
      await job.run();
      this.#db.exec('RELEASE job');
      return true;
    } catch (error) {
      // Some errors (a full disk) have ended the whole transaction already: then the group fails as one.
      if (!this.#db.inTransaction) throw error;
      this.#db.exec('ROLLBACK TO job');
      this.#db.exec('RELEASE job');
      job.fail(error);
      return false;
    }
  }
}
