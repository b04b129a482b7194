/** The data keys of a tenant, in its file: with what they seal, so that a copy of the file has both. */

import type { KeyStore, StoredKey, TenantKey } from '../../ports/key-store.ts';
import { KEY_COLUMNS, keyCellsOf, keyOf, type KeyRow } from '../sql/key-row.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { hasTable } from './sqlite-look.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const SELECT_KEYS = `SELECT ${KEY_COLUMNS} FROM data_keys`;
const DELETE_KEYS = 'DELETE FROM data_keys';
const INSERT_KEY = `INSERT INTO data_keys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

export class SqliteKeyStore implements KeyStore {
  readonly #tenants: SqliteTenants;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  list(tenantId: string): Promise<readonly StoredKey[]> {
    return this.#tenants.read<readonly StoredKey[]>(
      { tenantId, userId: '' },
      ({ connection }) => keysIn(connection),
      () => [],
    );
  }

  /** Without opening files for good: it is asked before anything is done. */
  async sample(limit: number): Promise<readonly TenantKey[]> {
    return this.#tenants.looks(limit, (db, tenantId) => {
      const row = hasTable(db, 'data_keys') ? db.prepare<[], KeyRow>(SELECT_KEYS).get() : undefined;
      return row && { tenantId, ...keyOf(row) };
    });
  }

  change(tenantId: string, change: Parameters<KeyStore['change']>[1]): Promise<readonly StoredKey[]> {
    return this.#tenants.use(tenantId, (tenant) =>
      tenant.write((connection) => {
        const keys = keysIn(connection);
        const changed = change(keys);
        if (changed === undefined) return keys;
        connection.run(DELETE_KEYS);
        for (const key of changed) connection.run(INSERT_KEY, ...keyCellsOf(key));
        return changed;
      }),
    );
  }
}

function keysIn(connection: SqliteConnection): StoredKey[] {
  return connection.all<KeyRow>(SELECT_KEYS).map(keyOf);
}
