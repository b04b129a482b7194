/** PostgreSQL in this process, by PGlite: for trying out and for tests. One session, so that statements take turns. */

import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { LaminaError } from '../../domain/error.ts';
import { makeFolder } from '../sql/make-folder.ts';
import type { Parameter, PostgresConnection, PostgresDriver, PostgresResult, Subscription } from './postgres-driver.ts';
import { lockFolder, type FolderLock } from './pglite-folder-lock.ts';

const INT8 = 20;
const NUMERIC = 1700;

/** In memory where no folder is given. Throws `CONFIGURATION_ERROR` when it is not installed or the folder is in use. */
export async function openPglite(folder?: string): Promise<PostgresDriver> {
  const [{ PGlite }, { vector }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-pgvector'),
  ]).catch((cause: unknown) => {
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'A pglite: database needs two packages: npm install @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15',
      { cause },
    );
  });
  const lock = folder === undefined ? undefined : openFolder(folder);
  try {
    const db = await PGlite.create({
      ...(folder !== undefined && { dataDir: join(folder, 'data') }),
      extensions: { vector },
      parsers: { [INT8]: Number, [NUMERIC]: Number },
    });
    return new PgliteDriver(db, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function openFolder(folder: string): FolderLock {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw new LaminaError('CONFIGURATION_ERROR', `The folder of the PGlite database cannot be made: ${folder}`, {
      cause,
    });
  }
  return lockFolder(folder);
}

class PgliteDriver implements PostgresDriver {
  readonly #db: PGlite;
  readonly #lock: FolderLock | undefined;
  /** Settles when the session is free. */
  #turn: Promise<void> = Promise.resolve();

  constructor(db: PGlite, lock: FolderLock | undefined) {
    this.#db = db;
    this.#lock = lock;
  }

  async reserve(): Promise<PostgresConnection> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    return new PgliteConnection(this.#db, resolve);
  }

  /** There is only one session; what is dedicated takes its turn with each statement. */
  async dedicate(): Promise<PostgresConnection> {
    const query: PostgresConnection['query'] = (sql, values) =>
      this.#inTurn(() => new PgliteConnection(this.#db, () => {}).query(sql, values));
    return { query, release: () => {} };
  }

  async listen(channel: string, heard: (payload: string) => void, ready: () => void): Promise<Subscription> {
    const stop = await this.#inTurn(() => this.#db.listen(channel, heard));
    ready();
    return { isLive: true, close: () => this.#inTurn(() => stop()) };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const connection = await this.reserve();
    try {
      return await work();
    } finally {
      connection.release();
    }
  }

  async close(): Promise<void> {
    await this.#turn;
    if (!this.#db.closed) await this.#db.close();
    this.#lock?.release();
  }
}

class PgliteConnection implements PostgresConnection {
  readonly #db: PGlite;
  readonly #free: () => void;

  constructor(db: PGlite, free: () => void) {
    this.#db = db;
    this.#free = free;
  }

  async query<R>(sql: string, values?: readonly Parameter[]): Promise<PostgresResult<R>> {
    if (values === undefined) {
      const results = await this.#db.exec(sql);
      const last = results.at(-1);
      return { rows: (last?.rows ?? []) as R[], count: last?.affectedRows ?? last?.rows.length ?? 0 };
    }
    const { rows, affectedRows } = await this.#db.query<R>(sql, [...values]);
    return { rows, count: affectedRows ?? rows.length };
  }

  release(): void {
    this.#free();
  }
}
