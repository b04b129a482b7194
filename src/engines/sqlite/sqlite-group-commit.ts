/**
 * Group commit: writes that arrive together share one transaction, and so one wait for the disk. One that fails takes
 * nothing with it: then the others are run again, each in a savepoint of its own. All are acknowledged after the commit.
 */

import type { Clock } from '../../ports/clock.ts';
import type { CommitRecord, Telemetry } from '../../ports/telemetry.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { isUnwritable, translated } from './sqlite-error.ts';
import { whenFree } from './sqlite-patience.ts';

/** What a write may change of what is remembered: entries; how often they were recalled; neither of both. The broadest comes first. */
const BREADTH = ['entries', 'accesses', 'state'] as const;

export type Affects = (typeof BREADTH)[number];

interface Job {
  readonly affects: Affects;
  /** How many writes it stands for by now. */
  size(): number;
  run(): Promise<void>;
  acknowledge(): void;
  fail(error: unknown): void;
}

/** A group takes no further job after this long: others wait for the file, and for the event loop. */
const MAX_GROUP_MS = 20;

/**
 * Where writes come at once, others are often just behind them, in connections that are not read yet: while each turn of the event
 * loop brings some, a group waits for one turn more, up to these bounds. A wait for the disk takes longer than many turns.
 */
const MAX_TURNS = 4;
const MAX_GATHER_MS = 2;

const one = (): number => 1;

/**
 * Savepoints copy every page that a job changes: a quarter of the time of adding entries. So they are only used where jobs
 * fail, and then for so many groups more, because failures (versions that are not what somebody expected) come together.
 */
const GROUPS_AFTER_FAILURE = 32;

/** Told of each commit. */
export type CommitObserver = NonNullable<Telemetry['commitEnded']>;

/** The same with what the broadest of its writes may have changed. */
export type TenantCommitObserver = (commit: CommitRecord, affects: Affects) => void;

export class SqliteGroupCommit {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #committed: TenantCommitObserver | undefined;
  #queue: Job[] = [];
  /** What waits for the end of a transaction. */
  #between: (() => void)[] = [];
  #draining: Promise<void> | undefined;
  /** For how many groups more each job gets a savepoint. */
  #savepointGroups = 0;
  #failure: unknown;

  constructor(connection: SqliteConnection, clock: Clock, committed?: TenantCommitObserver) {
    this.#connection = connection;
    this.#clock = clock;
    this.#committed = committed;
  }

  /** Why nothing could be written, when that was last tried; undefined where it could. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Writes that wait for a transaction. */
  get pending(): number {
    return this.#queue.length;
  }

  /**
   * Runs `work` inside a transaction. Resolves when it is durable. `work` must await nothing but the database, and may be
   * run more than once: only what it did the last time counts.
   * `committed` is called in the same step as the commit, so that what memory holds changes together with the file;
   * it must not throw. `size` is asked how many writes this one stands for: others may join it until it is run.
   */
  run<T>(
    work: () => T | Promise<T>,
    committed?: (value: T) => void,
    size: () => number = one,
    affects: Affects = 'entries',
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let value: T;
      this.#queue.push({
        affects,
        size,
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
    try {
      while (this.#queue.length + this.#between.length > 0) {
        await this.#gather();
        for (const work of this.#between.splice(0)) work();
        if (this.#queue.length > 0) await this.#commit();
      }
    } finally {
      this.#draining = undefined;
    }
  }

  /** Whatever else this turn of the event loop brings joins the group, and what waits for it gets its turn. */
  async #gather(): Promise<void> {
    const deadline = performance.now() + MAX_GATHER_MS;
    let before: number;
    let turns = 0;
    do {
      before = this.#size();
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#size() > before && turns < MAX_TURNS && performance.now() < deadline);
  }

  #size(): number {
    return this.#queue.reduce((sum, job) => sum + job.size(), 0);
  }

  /** Also refusals are told only after the commit: they may rest on what was committed with them. */
  async #commit(): Promise<void> {
    const started: Job[] = [];
    const refusals = new Map<Job, unknown>();
    const from = performance.now();
    try {
      await this.#begin();
      await this.#runJobs(started, refusals);
      this.#connection.run('COMMIT');
      this.#connection.endLooking();
    } catch (error) {
      this.#rollBack();
      if (isUnwritable(error)) this.#failure = error;
      // Where not even a transaction could be begun, nobody in the queue has to wait for the same answer again.
      const failed = started.length > 0 ? started : this.#queue.splice(0);
      for (const job of failed) job.fail(error);
      return;
    }
    this.#failure = [...refusals.values()].find(isUnwritable);
    const durationMs = performance.now() - from;
    for (const job of started) {
      if (refusals.has(job)) job.fail(refusals.get(job));
      else job.acknowledge();
    }
    this.#tell({ writes: started.length, durationMs }, started);
  }

  /** Nothing that an observer throws may harm a write, or those that wait behind it. */
  #tell(record: CommitRecord, jobs: readonly Job[]): void {
    const affects = BREADTH.find((each) => jobs.some((job) => job.affects === each)) ?? 'entries';
    try {
      this.#committed?.(record, affects);
    } catch {
      // It was not to throw.
    }
  }

  /** From here to the end nobody else can write: what one job looks up holds for all. */
  #begin(): Promise<void> {
    return whenFree(this.#clock, () => {
      this.#connection.run('BEGIN IMMEDIATE');
      this.#connection.startLooking();
    });
  }

  async #runJobs(started: Job[], refusals: Map<Job, unknown>): Promise<void> {
    // A job alone needs no savepoint: when it fails, the whole transaction goes.
    const [only, ...others] = this.#queue;
    if (only !== undefined && others.length === 0) {
      started.push(only);
      this.#queue.shift();
      return only.run();
    }
    if (this.#savepointGroups > 0) {
      this.#savepointGroups -= 1;
      return this.#runGroup(started, (job) => this.#runInSavepoint(job, refusals));
    }
    try {
      await this.#runGroup(started, (job) => job.run());
    } catch {
      // One of them failed, and nobody can tell what it left behind: all are run again, each by itself.
      this.#savepointGroups = GROUPS_AFTER_FAILURE;
      this.#rollBack();
      await this.#begin();
      for (const job of started) await this.#runInSavepoint(job, refusals);
    }
  }

  async #runGroup(started: Job[], run: (job: Job) => Promise<void>): Promise<void> {
    const deadline = performance.now() + MAX_GROUP_MS;
    do {
      const job = this.#queue.shift();
      if (job === undefined) return;
      started.push(job);
      await run(job);
    } while (performance.now() < deadline);
  }

  /** A job that throws leaves no trace but its refusal. */
  async #runInSavepoint(job: Job, refusals: Map<Job, unknown>): Promise<void> {
    const { db } = this.#connection;
    db.exec('SAVEPOINT job');
    try {
      await job.run();
    } catch (error) {
      // Some errors (a full disk) have ended the whole transaction already: then the group fails as one.
      if (!db.inTransaction) throw error;
      db.exec('ROLLBACK TO job');
      this.#connection.lookAgain();
      refusals.set(job, error);
    }
    db.exec('RELEASE job');
  }

  #rollBack(): void {
    const { db } = this.#connection;
    this.#connection.lookAgain();
    this.#connection.endLooking();
    try {
      if (db.open && db.inTransaction) db.exec('ROLLBACK');
    } catch {
      // Whoever waits is told of the first failure; should the connection be broken, the next write is told of that.
    }
  }
}
