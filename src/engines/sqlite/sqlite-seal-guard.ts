/** Keeps a process without a master key from what another one has begun to seal meanwhile. */

import { sealedElsewhere } from '../sql/key-row.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { IsFresh } from './sqlite-freshness.ts';
import { hasDataKeys } from './sqlite-key-row.ts';

export class SqliteSealGuard {
  readonly #isFresh: IsFresh;
  readonly #reading: SqliteConnection;
  /** As it was when it was last looked at; it has to be looked at once. */
  #isSealed = true;

  constructor(isFresh: IsFresh, reading: SqliteConnection) {
    this.#isFresh = isFresh;
    this.#reading = reading;
  }

  /** Before a read: looks only where somebody else has written. Throws `CONFIGURATION_ERROR`. */
  assertReadable(): void {
    const isUnchanged = this.#isFresh();
    if (isUnchanged && !this.#isSealed) return;
    this.#isSealed = hasDataKeys(this.#reading);
    if (this.#isSealed) throw sealedElsewhere();
  }

  /** Within the transaction of a write, where nobody else can make keys any more. The same. */
  assertWritable(connection: SqliteConnection): void {
    if (connection.lookedUp('data keys', () => hasDataKeys(connection))) throw sealedElsewhere();
  }
}
