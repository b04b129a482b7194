/** Who has written in a tenant: gets a row with the first write that is made, and in the same transaction. */

import { LRUCache } from 'lru-cache';
import type { SqliteConnection } from './sqlite-connection.ts';

const INSERT_USER = 'INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING';

/** Those who write the most are remembered; asking the database about the others costs little. */
const MAX_KNOWN = 10_000;

export class SqliteUsers {
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });

  has(userId: string): boolean {
    return userId === '' || this.#known.get(userId) === true;
  }

  /** Call within the transaction, and what it returns together with the commit. The empty id is nobody's. */
  enter(connection: SqliteConnection, userId: string, now: number): () => void {
    if (this.has(userId)) return () => {};
    connection.run(INSERT_USER, userId, now);
    return () => this.#known.set(userId, true);
  }

  forgetAll(): void {
    this.#known.clear();
  }

  forget(userId: string): void {
    this.#known.delete(userId);
  }
}
