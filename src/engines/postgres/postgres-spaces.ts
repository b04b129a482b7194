/** Embedding spaces by number: each has an index of its own, which statements can only use if they spell the number. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import type { Ask } from './postgres-statement.ts';

const SELECT_SPACE = 'SELECT s.id FROM lamina.embedding_spaces s WHERE s.model = $1::text AND s.dimensions = $2::int';
const OPEN_SPACE = 'SELECT lamina.open_space($1::text, $2::int) AS id';

/** Thrown inside a transaction that writes to a space which nobody has opened: it must be rolled back and run again. */
export class UnopenedSpace extends Error {
  readonly space: EmbeddingSpace;

  constructor(space: EmbeddingSpace) {
    super('An embedding space was not opened before its transaction.');
    this.space = space;
  }
}

export class PostgresSpaces {
  readonly #database: PostgresDatabase;
  readonly #ids = new Map<string, number>();
  readonly #opening = new Map<string, Promise<void>>();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Without asking the database. Throws {@link UnopenedSpace}. */
  idOf(space: EmbeddingSpace): number {
    const id = this.known(space);
    if (id === undefined) throw new UnopenedSpace(space);
    return id;
  }

  /** Undefined where nobody has asked for it here. */
  known(space: EmbeddingSpace): number | undefined {
    return this.#ids.get(keyOf(space));
  }

  /** Undefined where nobody has written to it yet. */
  async find(space: EmbeddingSpace, ask: Ask): Promise<number | undefined> {
    const known = this.known(space);
    if (known !== undefined) return known;
    const [row] = await ask<{ id: number }>(SELECT_SPACE, [space.model, space.dimensions]);
    return row && this.#keep(space, row.id);
  }

  /**
   * In a transaction of its own, because an index is made, for which everyone who writes has to wait. Those who ask here
   * meanwhile wait together, and not each on a connection.
   */
  open(space: EmbeddingSpace): Promise<void> {
    const key = keyOf(space);
    const opening = this.#opening.get(key) ?? this.#open(space).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(space: EmbeddingSpace): Promise<void> {
    const read: Ask = (sql, values) => this.#database.read({}, sql, values);
    if ((await this.find(space, read)) !== undefined) return;
    const { rows } = await this.#database.transaction(
      {},
      (transaction) => transaction.query<{ id: number }>(OPEN_SPACE, [space.model, space.dimensions]),
      { isUnbounded: true },
    );
    for (const { id } of rows) this.#keep(space, id);
  }

  #keep(space: EmbeddingSpace, id: number): number {
    this.#ids.set(keyOf(space), id);
    return id;
  }
}

function keyOf({ model, dimensions }: EmbeddingSpace): string {
  return JSON.stringify([model, dimensions]);
}
