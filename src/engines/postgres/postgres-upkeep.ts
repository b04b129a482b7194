/** Background work on a tenant, over all of its users, which is administration: removing what has expired. */

import type { Swept, Upkeep } from '../../ports/upkeep.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { DELETE_ENTRIES, LOCK_PARTITIONS_OF, SELECT_TEXTS } from './postgres-entry-writes.ts';

/**
 * Locked in the order in which everyone does. Whoever has extended its time meanwhile has done so in time: after the wait
 * for a row its condition is looked at again.
 */
const LOCK_EXPIRED = `
  SELECT e.id, e.seq AS seen_seq, e.version AS seen_version FROM lamina.entries e
  WHERE e.tenant_id = $1 AND e.expires_at <= $2 AND e.seq = ANY (ARRAY(
    SELECT x.seq FROM lamina.entries x WHERE x.tenant_id = $1 AND x.expires_at <= $2 ORDER BY x.expires_at LIMIT $3))
  ORDER BY e.seq FOR NO KEY UPDATE`;

/** Who does it is nobody. */
const NOBODY = '';

export class PostgresUpkeep implements Upkeep {
  readonly #database: PostgresDatabase;
  readonly #committed: (tenantId: string) => void;

  /** `committed` is told of every transaction that removed anything, after it. */
  constructor(database: PostgresDatabase, committed: (tenantId: string) => void) {
    this.#database = database;
    this.#committed = committed;
  }

  async removeExpired(tenantId: string, at: number, limit: number): Promise<Swept> {
    const context = { tenantId, purpose: 'administration' } as const;
    const swept = await this.#database.transaction(context, async (transaction): Promise<Swept> => {
      const { rows } = await transaction.query<{ id: string }>(LOCK_EXPIRED, [tenantId, at, limit]);
      if (rows.length === 0) return { count: 0, texts: [] };
      const ids = rows.map(({ id }) => id);
      transaction.send(LOCK_PARTITIONS_OF, [ids]);
      const texts = transaction.query<{ text: string }>(SELECT_TEXTS, [ids]);
      transaction.send(DELETE_ENTRIES, [JSON.stringify(rows), NOBODY, at, rows.length]);
      return { count: rows.length, texts: (await texts).rows.map(({ text }) => text) };
    });
    if (swept.count > 0) this.#committed(tenantId);
    return swept;
  }
}
