/** The data keys of tenants in PostgreSQL: for administration only, and gone with their tenant. */

import type { Clock } from '../../ports/clock.ts';
import type { KeyStore, StoredKey, TenantKey } from '../../ports/key-store.ts';
import { KEY_COLUMNS, keyCellsOf, keyOf, type KeyRow } from '../sql/key-row.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import { usersOf } from './postgres-users.ts';

const SELECT_KEYS = `SELECT ${KEY_COLUMNS} FROM lamina.data_keys WHERE tenant_id = $1`;
const DELETE_KEYS = 'DELETE FROM lamina.data_keys WHERE tenant_id = $1';
const INSERT_KEY = `
  INSERT INTO lamina.data_keys (tenant_id, ${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
const LOCK_KEYS = "SELECT pg_advisory_xact_lock(hashtextextended('lamina.data_keys ' || $1::text, 0))";

const SAMPLE_KEYS = `
  SELECT DISTINCT ON (master_id) tenant_id AS "tenantId", ${KEY_COLUMNS} FROM lamina.data_keys ORDER BY master_id LIMIT $1`;

const HAS_KEYS = 'SELECT EXISTS (SELECT 1 FROM lamina.data_keys) AS has';

/** Whether any tenant has. */
export async function hasDataKeys(database: PostgresDatabase): Promise<boolean> {
  const [row] = await database.read<{ has: boolean }>({ purpose: 'directory' }, HAS_KEYS);
  return row?.has === true;
}

export async function dataKeysOf(database: PostgresDatabase, tenantId: string): Promise<StoredKey[]> {
  return (await database.read<KeyRow>(administering(tenantId), SELECT_KEYS, [tenantId])).map(keyOf);
}

export class PostgresKeyStore implements KeyStore {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  list(tenantId: string): Promise<readonly StoredKey[]> {
    return dataKeysOf(this.#database, tenantId);
  }

  /** One of each master key, which tells as much. */
  async sample(limit: number): Promise<readonly TenantKey[]> {
    const rows = await this.#database.read<KeyRow & { tenantId: string }>({ purpose: 'directory' }, SAMPLE_KEYS, [
      limit,
    ]);
    return rows.map((row) => ({ tenantId: row.tenantId, ...keyOf(row) }));
  }

  change(tenantId: string, change: Parameters<KeyStore['change']>[1]): Promise<readonly StoredKey[]> {
    const now = Math.floor(this.#clock.now());
    return usersOf(this.#database).transaction(administering(tenantId), now, async (transaction, enter) => {
      transaction.send(LOCK_KEYS, [tenantId]);
      const keys = (await transaction.query<KeyRow>(SELECT_KEYS, [tenantId])).rows.map(keyOf);
      const changed = change(keys);
      if (changed === undefined) return keys;
      // The tenant itself.
      if (changed.length > 0) enter('');
      transaction.send(DELETE_KEYS, [tenantId]);
      for (const key of changed) transaction.send(INSERT_KEY, [tenantId, ...keyCellsOf(key)]);
      return changed;
    });
  }
}

function administering(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
