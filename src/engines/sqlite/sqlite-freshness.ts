/** Whether another process has written since it was asked last: cheap enough to ask before every read. */

import { LOG_HEADER_BYTES, type LogIndex, type SqliteConnection } from './sqlite-connection.ts';

/**
 * Asking takes longer than the rest of a read. So an answer is trusted for the rest of this turn of the event loop: what
 * another process has done since cannot have been heard of before the next. That leaves programs that never yield or hear
 * synchronously, hence also a bound in time: about as long as a service takes for requests that it begins together.
 */
const TRUST_MS = 1;

/** False when what was read before may no longer stand; of the first call, always. */
export type IsFresh = () => boolean;

/** One for all who ask of a file: what one of them has learnt the others know. */
export class SqliteFreshness {
  readonly #connection: SqliteConnection;
  readonly #lastHeader = Buffer.alloc(LOG_HEADER_BYTES);
  /** How many commits there were when a transaction of this process began that is under way. */
  #commitsBefore: number | undefined;
  #dataVersion: number | undefined;
  /** How often others were seen to have written. */
  #changes = 0;
  #trustedUntil = 0;
  #endsWithTurn = false;

  /** Must be the connection that this process writes by: the version changes with everyone's commits but its own. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** For somebody who reads and wants to know whether others have written since. */
  watch(): IsFresh {
    return this.#watching(() => this.#look());
  }

  /** For somebody who is about to write, and already keeps all others from it: then every answer is a new one. */
  watchWriting(): IsFresh {
    return this.#watching(() => {
      this.#commitsBefore = this.#ask();
    });
  }

  /** Call after each commit of this process. Where it was the only one since {@link watchWriting} nobody else has written. */
  noteCommit(log: LogIndex): void {
    if (this.#commitsBefore !== undefined && log.commits === this.#commitsBefore + 1) log.header.copy(this.#lastHeader);
    this.#commitsBefore = undefined;
  }

  #watching(look: () => void): IsFresh {
    let seen: number | undefined;
    return () => {
      look();
      const isSame = seen === this.#changes;
      seen = this.#changes;
      return isSame;
    };
  }

  #look(): void {
    const now = performance.now();
    if (now < this.#trustedUntil) return;
    this.#ask();
    this.#trustedUntil = now + TRUST_MS;
    if (this.#endsWithTurn) return;
    this.#endsWithTurn = true;
    // Runs after the promises of this turn and before any other callback.
    process.nextTick(this.#endTrust);
  }

  readonly #endTrust = (): void => {
    this.#endsWithTurn = false;
    this.#trustedUntil = 0;
  };

  /** Answers with the number of commits so far, where that can be had. */
  #ask(): number | undefined {
    const log = this.#connection.readLog();
    if (!this.#isLast(log) && !this.#isSameVersion()) this.#changes += 1;
    return log?.commits;
  }

  /** Whether nobody has committed since: one read of a file, where SQLite would lock and unlock the log several times. */
  #isLast(log: LogIndex | undefined): boolean {
    const isLast = log?.header.equals(this.#lastHeader) ?? false;
    // Before SQLite is asked: should somebody commit in between, the header will differ the next time.
    log?.header.copy(this.#lastHeader);
    return isLast;
  }

  #isSameVersion(): boolean {
    const row = this.#connection.first<{ readonly data_version: number }>('PRAGMA data_version');
    const isSame = row?.data_version === this.#dataVersion;
    this.#dataVersion = row?.data_version;
    return isSame;
  }
}
