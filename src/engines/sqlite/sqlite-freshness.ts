/** Whether another process has written since it was asked last: cheap enough to ask before every read. */

import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Asking SQLite takes 2 µs (it locks and unlocks the log), which is three times what the rest of a read takes. So an
 * answer is trusted for the rest of this turn of the event loop: what another process has done since cannot have been
 * heard of before the next. That leaves programs that never yield or hear synchronously, hence also a bound in time.
 */
const TRUST_MS = 0.05;

export class SqliteFreshness {
  readonly #connection: SqliteConnection;
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
    const row = this.#connection.first<{ readonly data_version: number }>('PRAGMA data_version');
    const isSame = row?.data_version === this.#dataVersion;
    this.#dataVersion = row?.data_version;
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
}
