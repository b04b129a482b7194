/** Background work on a tenant's file: removing what has expired. */

import type { Swept, Upkeep } from '../../ports/upkeep.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const SELECT_EXPIRED = 'SELECT id FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?';

const NOTHING: Swept = { count: 0, texts: [] };

export class SqliteUpkeep implements Upkeep {
  readonly #tenants: SqliteTenants;
  readonly #committed: (tenantId: string) => void;

  /** `committed` is told of every transaction that removed anything, after it. */
  constructor(tenants: SqliteTenants, committed: (tenantId: string) => void) {
    this.#tenants = tenants;
    this.#committed = committed;
  }

  async removeExpired(tenantId: string, at: number, limit: number): Promise<Swept> {
    const swept = await this.#tenants.read<Swept | Promise<Swept>>(
      { tenantId, userId: '' },
      (tenant) => {
        const expired = (connection: typeof tenant.connection): string[] =>
          connection.all<{ id: string }>(SELECT_EXPIRED, at, limit).map(({ id }) => id);
        // What is not there must not cost a transaction.
        if (expired(tenant.connection).length === 0) return NOTHING;
        return tenant.transaction('', async (transaction, connection) => {
          const ids = expired(connection);
          return { count: ids.length, texts: await transaction.remove(ids) };
        });
      },
      () => NOTHING,
    );
    if (swept.count > 0) this.#committed(tenantId);
    return swept;
  }
}
