/** One connection to a tenant's file: opened with the right settings, statements prepared once. */

import { closeSync, openSync, readSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { load as loadVectorFunctions } from 'sqlite-vec';

export type Value = string | number | bigint | Buffer | null;

/** Vectors of 1.5 KiB lie badly on the usual 4 KiB pages: measured, bulk writes take twice as long there. */
const PAGE_SIZE = 8192;

/** Readers wait for nobody but one who opens or closes the file at that moment. */
const READ_TIMEOUT_MS = 100;

/** More than the code has; filters make others, as many as callers like. Twice as many are kept. */
const MAX_STATEMENTS = 256;

/** What is looked up again otherwise costs a few microseconds. */
const MAX_KNOWN = 10_000;

/** The header of the index of the log (https://sqlite.org/walformat.html#the_wal_index_header). */
export const LOG_HEADER_BYTES = 48;
/** Which of its words, in the byte order of the machine, count commits and the pages in the log, and how many of those are in the file too. */
const COMMITS_AT = 2;
const LOGGED_PAGES_AT = 4;
const FOLDED_PAGES_AT = 24;

/**
 * SQLite carries the log over into the file in the commit that makes it as long as this, should nobody have done it before: see
 * {@link SqliteFoldThread}. Up to 4,062 pages are found by one table of the index.
 */
const MAX_LOGGED_PAGES = 4000;

/** The index of the log, at one moment. */
export interface LogIndex {
  /** Another one after every commit, by whichever process. Not to be kept: the next read overwrites it. */
  readonly header: Buffer;
  /** A number that each commit increases by one. */
  readonly commits: number;
  /** How many pages of the log are not in the file yet. */
  readonly unfoldedPages: number;
}

export interface SqliteConnectionOptions {
  readonly readonly: boolean;
  /** Called with the lock for reading held, before a connection that writes changes anything. */
  readonly locked?: () => void;
}

export class SqliteConnection {
  readonly db: Database;
  /** Those used of late, and those before them. Every call looks here, so that it is not to note which was used last. */
  #statements = new Map<string, Sqlite.Statement>();
  #olderStatements = new Map<string, Sqlite.Statement>();
  /** While a transaction is open in which nobody else can write. */
  #lookedUp: Map<string, unknown> | undefined;
  /** What was looked up in transactions and stands as long as nobody else writes. */
  readonly #known = new LRUCache<string, object>({ max: MAX_KNOWN });
  /** The index of the log, once it was asked for; null where it cannot be read. */
  #logIndex: number | null | undefined;
  readonly #logWords = new Uint32Array(FOLDED_PAGES_AT + 1);
  readonly #logHeader = Buffer.from(this.#logWords.buffer, 0, LOG_HEADER_BYTES);

  constructor(file: string, options: SqliteConnectionOptions) {
    // A connection that writes does not wait inside SQLite, where it would hold up the event loop: see `whenFree`.
    this.db = new Sqlite(file, { readonly: options.readonly, timeout: options.readonly ? READ_TIMEOUT_MS : 0 });
    try {
      loadVectorFunctions(this.db);
      if (!options.readonly) this.#configureWriter(options.locked);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  #configureWriter(locked?: () => void): void {
    this.db.pragma(`page_size = ${PAGE_SIZE}`);
    // In a transaction of its own, so that the lock is held.
    if (locked) this.db.transaction(() => [this.db.prepare('SELECT 1 FROM sqlite_schema').get(), locked()])();
    this.db.pragma('journal_mode = WAL');
    // An acknowledged write survives power loss: the log is flushed before a commit returns.
    this.db.pragma('synchronous = FULL');
    this.db.pragma('foreign_keys = ON');
    // Savepoints copy the pages that they change; those copies hold remembered text and must not go to temporary files.
    this.db.pragma('temp_store = MEMORY');
    // What is deleted is overwritten, not merely unlinked.
    this.db.pragma('secure_delete = ON');
    this.db.pragma(`wal_autocheckpoint = ${MAX_LOGGED_PAGES}`);
  }

  #prepare(sql: string): Sqlite.Statement {
    return this.#statements.get(sql) ?? this.#prepareAgain(sql);
  }

  #prepareAgain(sql: string): Sqlite.Statement {
    const statement = this.#olderStatements.get(sql) ?? this.db.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) {
      this.#olderStatements = this.#statements;
      this.#statements = new Map();
    }
    this.#statements.set(sql, statement);
    return statement;
  }

  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  first<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: readonly Value[]): Sqlite.RunResult {
    return this.#prepare(sql).run(...values);
  }

  /** From here on what was looked up stands, until it is to be looked up again or the transaction ends. */
  startLooking(): void {
    this.#lookedUp = new Map();
  }

  /** What was found may have been changed: by this transaction, by taking it back, or by somebody else before it. */
  lookAgain(): void {
    this.#lookedUp?.clear();
    this.#known.clear();
  }

  endLooking(): void {
    this.#lookedUp = undefined;
  }

  /** Looks once in a transaction that several writes share, and each time outside of one. */
  lookedUp<T>(name: string, look: () => T): T {
    if (this.#lookedUp === undefined) return look();
    if (this.#lookedUp.has(name)) return this.#lookedUp.get(name) as T;
    const found = look();
    this.#lookedUp.set(name, found);
    return found;
  }

  /** The same for what stands until it is to be looked up again, also when the transaction has ended. */
  known<T extends object>(name: string, look: () => T): T {
    if (this.#lookedUp === undefined) return look();
    const known = this.#known.get(name) as T | undefined;
    if (known !== undefined) return known;
    const found = look();
    this.#known.set(name, found);
    return found;
  }

  /** How many rows this connection has changed since it was opened. */
  changes(): number {
    return this.first<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0;
  }

  /** Reads what is different after every commit, by whichever process; false where that cannot be had. */
  readLogHeader(header: Uint8Array): boolean {
    return this.#readLogIndex(header, LOG_HEADER_BYTES);
  }

  /** The same with the rest of it; undefined where that cannot be had. */
  readLog(): LogIndex | undefined {
    const words = this.#logWords;
    if (!this.#readLogIndex(words, words.byteLength)) return undefined;
    const unfoldedPages = Number(words[LOGGED_PAGES_AT]) - Number(words[FOLDED_PAGES_AT]);
    return { header: this.#logHeader, commits: Number(words[COMMITS_AT]), unfoldedPages };
  }

  #readLogIndex(into: NodeJS.ArrayBufferView, length: number): boolean {
    if (this.#logIndex === undefined) this.#logIndex = openedOrNull(`${this.db.name}-shm`);
    return this.#logIndex !== null && readSync(this.#logIndex, into, 0, length, 0) === length;
  }

  close(): void {
    this.#statements.clear();
    this.#olderStatements.clear();
    if (typeof this.#logIndex === 'number') closeSync(this.#logIndex);
    this.#logIndex = null;
    this.db.close();
  }
}

function openedOrNull(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch {
    // A file system or a build of SQLite that keeps the index elsewhere.
    return null;
  }
}
