/** `system.db`, beside the tenants' files: what must outlive a tenant. Made when there is first something to keep. */

import { join, resolve } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { makePrivateFile } from './private-file.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isBusy, translated, unopened } from './sqlite-error.ts';
import { readMigrations } from '../sql/migrations.ts';
import { migrate } from './sqlite-migrations.ts';
import { whenFree } from './sqlite-patience.ts';
import { isThere } from './sqlite-presence.ts';

/** Within a transaction, where nobody else gets a turn meanwhile. */
const MAX_ATTEMPTS = 200;
const PAUSE_MS = 5;

export class SqliteSystem {
  readonly #file: string;
  readonly #clock: Clock;
  #connection: SqliteConnection | undefined;

  constructor(folder: string, clock: Clock) {
    this.#file = join(resolve(folder), 'system.db');
    this.#clock = clock;
  }

  /** Reading makes no file. */
  async read<T>(read: (connection: SqliteConnection) => T, nothing: () => T): Promise<T> {
    return this.#connection !== undefined || isThere(this.#file) ? this.write(read) : nothing();
  }

  /** The same within a transaction of a tenant's, which cannot wait. Undefined where there is no file. */
  readNow<T>(read: (connection: SqliteConnection) => T): T | undefined {
    if (this.#connection === undefined && !isThere(this.#file)) return undefined;
    return read((this.#connection ??= this.#openNow()));
  }

  /** One statement, which is its own transaction. */
  async write<T>(write: (connection: SqliteConnection) => T): Promise<T> {
    try {
      return await whenFree(this.#clock, () => write((this.#connection ??= this.#open())));
    } catch (error) {
      throw translated(error);
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Another process may be making the file at this moment, which takes milliseconds. */
  #openNow(): SqliteConnection {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#open();
      } catch (error) {
        if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  }

  #make(): void {
    try {
      makePrivateFile(this.#file);
    } catch (error) {
      throw unopened(error);
    }
  }

  #open(): SqliteConnection {
    this.#make();
    const connection = new SqliteConnection(this.#file, { readonly: false });
    try {
      migrate(connection.db, readMigrations('sqlite/system'), this.#clock.now());
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}
