/** Whether another process has written since it was asked last: cheap enough to ask before every read. */

import { LOG_HEADER_BYTES, type SqliteConnection } from './sqlite-connection.ts';

/**
 * Asking takes longer than the rest of a read. So an answer is trusted for the rest of this turn of the event loop: what
 * another process has done since cannot have been heard of before the next. That leaves programs that never yield or hear
 * synchronously, hence also a bound in time.
 */
const TRUST_MS = 0.05;

export class SqliteFreshness {
  readonly #connection: SqliteConnection;
  readonly #header = Buffer.alloc(LOG_HEADER_BYTES);
  readonly #lastHeader = Buffer.alloc(LOG_HEADER_BYTES);
  #dataVersion: number | undefined;
  #trustedUntil = 0;
  #endsWithTurn = false;

  /** Must be the connection that this process writes by: the version changes with everyone's commits but its own. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** False when what was read before may no longer stand. */
  check(): boolean {
    const now = performance.now();
    if (now < this.#trustedUntil) return true;
    const isSame = this.#isUntouched() || this.#isSameVersion();
    this.#trustedUntil = now + TRUST_MS;
    if (!this.#endsWithTurn) {
      this.#endsWithTurn = true;
      // Runs after the promises of this turn and before any other callback.
      process.nextTick(() => {
        this.#endsWithTurn = false;
        this.#trustedUntil = 0;
      });
    }
    return isSame;
  }

  /** Whether nobody at all has committed: one read of a file, where SQLite would lock and unlock the log several times. */
  #isUntouched(): boolean {
    if (!this.#connection.readLogHeader(this.#header)) return false;
    const isSame = this.#header.equals(this.#lastHeader);
    // Before SQLite is asked: should somebody commit in between, the header will differ the next time.
    this.#header.copy(this.#lastHeader);
    return isSame;
  }

  #isSameVersion(): boolean {
    const row = this.#connection.first<{ readonly data_version: number }>('PRAGMA data_version');
    const isSame = row?.data_version === this.#dataVersion;
    this.#dataVersion = row?.data_version;
    return isSame;
  }
}
