/** Whether another process has written since it was asked last: cheap enough to ask before every read. */

import { LOG_HEADER_BYTES, type SqliteConnection } from './sqlite-connection.ts';

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
  readonly #header = Buffer.alloc(LOG_HEADER_BYTES);
  readonly #lastHeader = Buffer.alloc(LOG_HEADER_BYTES);
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
    let seen: number | undefined;
    return () => {
      this.#look();
      const isSame = seen === this.#changes;
      seen = this.#changes;
      return isSame;
    };
  }

  #look(): void {
    const now = performance.now();
    if (now < this.#trustedUntil) return;
    if (!this.#isUntouched() && !this.#isSameVersion()) this.#changes += 1;
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
