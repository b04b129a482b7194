/** A tenant's file, open: one connection that writes, one that reads, and the accesses still to be counted. */

import { dirname } from 'node:path';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Identity } from '../../ports/entry-store.ts';
import type { SqliteCodeCache } from './sqlite-code-cache.ts';
import { SqliteCodes } from './sqlite-codes.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteDescribed, SqliteDescribedCache } from './sqlite-described.ts';
import { isBusy, translated } from './sqlite-error.ts';
import { SqliteEntryReader } from './sqlite-entry-reader.ts';
import { SqliteEntryTouches } from './sqlite-entry-touches.ts';
import { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';
import { removeEverything } from './sqlite-erasure-parts.ts';
import { SqliteFile } from './sqlite-file.ts';
import type { SqliteFoldThread } from './sqlite-fold-thread.ts';
import { SqliteFreshness, type IsFresh } from './sqlite-freshness.ts';
import { SqliteGroupCommit, type Affects, type CommitObserver } from './sqlite-group-commit.ts';
import type { SqliteHeldEntries, SqliteHeldEntriesCache } from './sqlite-held-entries.ts';
import { SqliteLogFold } from './sqlite-log-fold.ts';
import type { Migration } from '../sql/migrations.ts';
import { migrate } from './sqlite-migrations.ts';
import { whenFree } from './sqlite-patience.ts';
import { SqliteRecall } from './sqlite-recall.ts';
import { hasRoom } from './sqlite-room.ts';
import { SqliteSealGuard } from './sqlite-seal-guard.ts';
import type { SpaceGuard } from './sqlite-spaces.ts';
import { SqliteStandstill } from './sqlite-standstill.ts';
import { SqliteState } from './sqlite-state.ts';
import type { StateCommits } from './sqlite-state-writer.ts';
import { SqliteUsers } from './sqlite-users.ts';
import { vacuum } from './sqlite-vacuum.ts';

/** Bytes: what is rewritten when a file is closed after removals, and after an erasure; the latter takes seconds. */
const MAX_VACUUM_ON_CLOSE = 64 * 1024 * 1024;
const MAX_VACUUM_ON_ERASURE = 1024 * 1024 * 1024;

/** How long to wait for other processes that read the log of writes, and how often to look. */
const MAX_FOLD_MS = 10_000;
const FOLD_PAUSE_MS = 20;

/** What this process has for all tenants: what it holds in memory, within bounds, and the thread that folds their logs. */
export interface SharedByTenants {
  readonly codes: SqliteCodeCache;
  readonly folds: SqliteFoldThread;
  /** Absent where each search reads everything anew. */
  readonly described?: SqliteDescribedCache | undefined;
  readonly held?: SqliteHeldEntriesCache | undefined;
}

export class SqliteTenant {
  readonly reader: SqliteEntryReader;
  readonly recall: SqliteRecall;
  readonly state: SqliteState;
  readonly #clock: Clock;
  readonly #file: SqliteFile;
  readonly #writing: SqliteConnection;
  readonly #writersReader: SqliteEntryReader;
  readonly #reading: SqliteConnection;
  readonly #commits: SqliteGroupCommit;
  readonly #codes: SqliteCodes;
  readonly #described: SqliteDescribed | undefined;
  readonly #held: SqliteHeldEntries | undefined;
  readonly #users = new SqliteUsers();
  readonly #isFreshToWrite: IsFresh;
  readonly #standstill: SqliteStandstill;
  /** Of a process that has no master key. */
  readonly #guard: SqliteSealGuard | undefined;
  readonly #touches: SqliteEntryTouches;
  readonly #fold: SqliteLogFold;
  #hasRemoved = false;
  /** What goes on beside the commits; the file is not closed before it has ended. */
  readonly #underway = new Set<Promise<void>>();

  /** Throws {@link SqliteFileGone} when another process deletes the file meanwhile. */
  constructor(
    path: string,
    migrations: readonly Migration[],
    clock: Clock,
    shared: SharedByTenants,
    committed?: CommitObserver,
    refusesSealed = false,
  ) {
    this.#clock = clock;
    this.#file = new SqliteFile(path);
    const { writing, reading } = openBoth(this.#file, (db) => migrate(db, migrations, clock.now()));
    this.#writing = writing;
    this.#reading = reading;
    this.#fold = new SqliteLogFold({
      empty: () => this.#commits.between(() => this.#tryToFold()),
      beside: () => shared.folds.fold(path),
    });
    this.#standstill = new SqliteStandstill(this.#writing);
    this.#commits = new SqliteGroupCommit(this.#writing, clock, (commit, affects) => {
      if (affects !== 'state') this.#held?.noteCommit();
      const log = this.#writing.readLog();
      if (log) freshness.noteCommit(log);
      if (log && affects !== 'entries') this.#standstill.noteAside(log);
      if (log) this.#fold.noteLength(log.unfoldedPages);
      committed?.(commit);
    });
    const freshness = new SqliteFreshness(this.#writing);
    this.#isFreshToWrite = freshness.watchWriting();
    this.#guard = refusesSealed ? new SqliteSealGuard(freshness.watch(), this.#reading) : undefined;
    const standstill = this.#standstill;
    this.#held = shared.held?.ofTenant(freshness.watch());
    this.reader = new SqliteEntryReader(this.#reading, clock, this.#held && { held: this.#held, standstill });
    this.#writersReader = new SqliteEntryReader(this.#writing, clock);
    this.#codes = new SqliteCodes(shared.codes, this.#reading);
    this.#described = shared.described?.ofTenant();
    const memory = this.#described && { described: this.#described, standstill };
    this.recall = new SqliteRecall(this.#reading, clock, this.#codes, memory);
    this.#touches = new SqliteEntryTouches((work) => this.#write('accesses', work), clock);
    const asState: StateCommits = {
      write: (work, settled, size) => this.#write('state', work, settled, size),
      enter: (connection, userIds) => this.enter(connection, userIds),
    };
    this.state = new SqliteState(freshness.watch(), this.#reading, asState, clock);
  }

  /** Throws `UNAVAILABLE` where the file is no longer where it was opened. */
  assertInPlace(): void {
    this.#file.assertStillInPlace();
  }

  /** Throws `CONFIGURATION_ERROR` where another process seals what is here, and this one has no master key. */
  assertReadable(): void {
    this.#guard?.assertReadable();
  }

  /** Throws `UNAVAILABLE` where nothing could be written when that was last tried, and still cannot. */
  async assertWritable(): Promise<void> {
    const { failure } = this.#commits;
    if (failure === undefined) return;
    if (!hasRoom(dirname(this.#file.path))) throw translated(failure);
    // It has no meaning, so that nothing changes; but it is written.
    await this.write(({ db }) => void db.pragma('user_version = 0'));
  }

  /**
   * What is committed. Who looks for the same is about to write, and the connection that writes has most of it in memory: the other
   * one has to read all it needs again after each commit.
   */
  findSame(identities: readonly Identity[]): (Entry | null)[] {
    if (this.#writing.db.inTransaction) return this.reader.findSame(identities);
    try {
      return this.#writersReader.findSame(identities);
    } catch (error) {
      // It waits for nobody; the other one does.
      if (!isBusy(error)) throw error;
      return this.reader.findSame(identities);
    }
  }

  /** Runs work on the writing connection in a transaction; see {@link SqliteGroupCommit.run}. */
  write<T>(
    work: (connection: SqliteConnection) => T | Promise<T>,
    committed?: (value: T) => void,
    size?: () => number,
  ): Promise<T> {
    return this.#write('entries', work, committed, size);
  }

  #write<T>(
    affects: Affects,
    work: (connection: SqliteConnection) => T | Promise<T>,
    committed?: (value: T) => void,
    size?: () => number,
  ): Promise<T> {
    const guarded = (): T | Promise<T> => {
      this.#writing.lookedUp('others', () => this.#lookForOthers());
      this.#guard?.assertWritable(this.#writing);
      return work(this.#writing);
    };
    return this.#commits.run(guarded, committed, size, affects);
  }

  /** The same for somebody, who is entered among the users where that changes anything. The empty id is nobody's. */
  writeAs<T>(userId: string, work: (connection: SqliteConnection) => T | Promise<T>): Promise<T> {
    let settle: (() => void) | undefined;
    const workAsStranger = async (connection: SqliteConnection): Promise<T> => {
      const before = connection.changes();
      const value = await work(connection);
      if (connection.changes() > before) settle = this.#users.enter(connection, userId, this.#clock.now());
      return value;
    };
    return this.write(
      (connection) => (this.#users.has(userId) ? work(connection) : workAsStranger(connection)),
      () => settle?.(),
    );
  }

  /** Enters among the users who is not known: call within the transaction, and what it returns together with the commit. */
  enter(connection: SqliteConnection, userIds: Iterable<string>): () => void {
    const now = this.#clock.now();
    const settles = Array.from(userIds, (userId) => this.#users.enter(connection, userId, now));
    return () => {
      for (const settle of settles) settle();
    };
  }

  /** Another process may have put another file in its place, erased whom this one remembers, or emptied a partition. */
  #lookForOthers(): void {
    this.#file.assertStillInPlace();
    this.#standstill.beginWriting();
    if (this.#isFreshToWrite()) return;
    this.#users.forgetAll();
    this.#writing.lookAgain();
  }

  get pendingWrites(): number {
    return this.#commits.pending;
  }

  get pendingTouches(): number {
    return this.#touches.size + this.state.pendingTouches;
  }

  /** The connection to read by, outside of any transaction. */
  get connection(): SqliteConnection {
    return this.#reading;
  }

  async transaction<T>(
    actorId: string,
    work: (tx: SqliteEntryTransaction, connection: SqliteConnection) => Promise<T>,
    guard?: SpaceGuard,
  ): Promise<T> {
    let removes = false;
    const removed = (): void => {
      removes = this.#hasRemoved = true;
    };
    const value = await this.writeAs(actorId, (connection) =>
      work(new SqliteEntryTransaction(connection, this.#clock, actorId, removed, this.#codes, guard), connection),
    );
    if (removes) this.#codes.letGo();
    if (removes) this.forgetEntries();
    if (removes) this.foldSoon();
    return value;
  }

  /** Something was removed for good: when the file is closed, it is rewritten without. */
  noteRemoval(): void {
    this.#hasRemoved = true;
    this.foldSoon();
  }

  /** Something was removed: soon its bytes are not in the log of writes either. */
  foldSoon(): void {
    this.#fold.soon();
  }

  touch(ids: readonly string[]): void {
    this.#touches.add(ids);
  }

  /** Runs work that removes all of a user, and then lets go of what memory holds of them. */
  writeErasure<T>(userId: string, work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    return this.write(
      async (connection) => {
        const value = await work(connection);
        // Now for the writes that follow in the same commit; later for those that came before in it.
        this.#users.forget(userId);
        return value;
      },
      () => {
        this.#users.forget(userId);
        this.state.forget();
        this.#codes.forget();
        this.forgetEntries();
      },
    );
  }

  /** Lets go of what memory holds of entries: some were removed, or are written in another way. */
  forgetEntries(): void {
    this.#described?.forget();
    this.#held?.forget();
  }

  /** Rewrites the file without what was deleted, and empties the log of writes: no byte of it can be read any more. */
  async compact(): Promise<void> {
    const work = vacuum(this.#file.path, MAX_VACUUM_ON_ERASURE).then(() => this.foldLog());
    this.#underway.add(work);
    try {
      await work;
    } finally {
      this.#underway.delete(work);
    }
  }

  /** Folds the log of writes into the file and empties it, so that nothing deleted can be read in it any more. */
  async foldLog(): Promise<void> {
    await this.#fold.idle();
    const deadline = this.#clock.now() + MAX_FOLD_MS;
    while (!(await this.#commits.between(() => this.#tryToFold()))) {
      if (this.#clock.now() > deadline) {
        throw new LaminaError('UNAVAILABLE', 'It is done, but another process still reads the log of it. Repeat it.');
      }
      await this.#clock.sleep(FOLD_PAUSE_MS);
    }
  }

  #tryToFold(): boolean {
    const [row] = this.#writing.db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
    return row?.busy === 0;
  }

  /**
   * Waits for the writes under way, takes a last look, removes everything and closes. The file is deleted where nobody
   * else has it open; else it is emptied, because those who have it open would go on writing to what is gone.
   */
  async erase<T>(look: (connection: SqliteConnection) => T): Promise<T> {
    await this.#fold.end();
    await Promise.allSettled(this.#underway);
    await this.#commits.idle();
    this.#touches.drop();
    this.state.drop();
    this.#codes.forget();
    this.forgetEntries();
    this.#reading.close();
    try {
      const { db } = this.#writing;
      this.#leaveLog();
      await whenFree(this.#clock, () => db.exec('BEGIN EXCLUSIVE'));
      // Only now: somebody may have come in between. With the log, others can still read.
      const isAlone = db.pragma('journal_mode', { simple: true }) !== 'wal';
      const seen = look(this.#writing);
      if (isAlone) this.#file.delete();
      else removeEverything(this.#writing);
      db.exec('COMMIT');
      if (!isAlone) await this.foldLog();
      return seen;
    } finally {
      if (this.#writing.db.inTransaction) this.#writing.db.exec('ROLLBACK');
      await this.close();
    }
  }

  /** Folds the log into the file and does without it, which SQLite allows to whoever alone has the file open. */
  #leaveLog(): void {
    // Windows does not let go of the name of an open file.
    if (process.platform === 'win32') return;
    try {
      this.#writing.db.pragma('journal_mode = DELETE');
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }

  /** Writes out what is pending and closes the file; the last one out folds the log into it. */
  async close(): Promise<void> {
    await this.#fold.end();
    await Promise.allSettled(this.#underway);
    await this.#commits.idle();
    await this.#touches.flush().catch(() => {});
    await this.state.flush();
    this.#touches.drop();
    this.state.drop();
    this.#codes.forget();
    this.forgetEntries();
    this.#reading.close();
    this.#writing.close();
    // Another process may use the file: then whoever closes it last has another chance.
    if (this.#hasRemoved) await vacuum(this.#file.path, MAX_VACUUM_ON_CLOSE).catch(() => {});
  }
}

/** Throws {@link SqliteFileGone}, also for whatever else went wrong because the file was deleted meanwhile. */
function openBoth(
  file: SqliteFile,
  prepare: (db: SqliteConnection['db']) => void,
): { readonly writing: SqliteConnection; readonly reading: SqliteConnection } {
  const opened: SqliteConnection[] = [];
  const open = (readonly: boolean): SqliteConnection => {
    const connection = new SqliteConnection(file.path, { readonly, locked: () => file.assertInPlace() });
    opened.push(connection);
    return connection;
  };
  try {
    const writing = open(false);
    prepare(writing.db);
    return { writing, reading: open(true) };
  } catch (error) {
    for (const connection of opened) connection.close();
    file.assertInPlace();
    throw error;
  }
}
