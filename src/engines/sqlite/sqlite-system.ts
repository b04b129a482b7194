/** `system.db`, beside the tenants' files: what must outlive a tenant. Made when there is first something to keep. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { translated } from './sqlite-error.ts';
import { readMigrations } from '../sql/migrations.ts';
import { migrate } from './sqlite-migrations.ts';
import { whenFree } from './sqlite-patience.ts';

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
    return this.#connection !== undefined || existsSync(this.#file) ? this.write(read) : nothing();
  }

  /** The same within a transaction of a tenant's, which cannot wait. Undefined where there is no file. */
  readNow<T>(read: (connection: SqliteConnection) => T): T | undefined {
    if (this.#connection === undefined && !existsSync(this.#file)) return undefined;
    return read((this.#connection ??= this.#open()));
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

  #open(): SqliteConnection {
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
