/** Has a new database look how large its tables are, before autovacuum does: see `lamina.learn_sizes`. */

import type { PostgresDatabase } from './postgres-database.ts';

/** After so many writes of this process. Where others have written more, and it is known, nothing is done. */
const AFTER: ReadonlySet<number> = new Set([100, 1000]);

const LEARN_SIZES = 'SELECT lamina.learn_sizes()';

export class PostgresSizes {
  readonly #database: PostgresDatabase;
  #writes = 0;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Call after each write. Nobody waits for it, and where it fails, it is slower for a while. */
  note(): void {
    this.#writes += 1;
    if (AFTER.has(this.#writes)) this.#database.write({}, LEARN_SIZES).catch(() => {});
  }
}
