/** Background work on a tenant's file: removing what has expired and events that are too old, and telling an index beside it what there is. */

import { partitionOfKey } from '../../domain/access.ts';
import type { Event } from '../../domain/event.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { StoredPoint, Swept, Upkeep } from '../../ports/upkeep.ts';
import type { SqliteEventLog } from './sqlite-event-log.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const SELECT_EXPIRED = 'SELECT id FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?';

/** Of the first so many the last that is old enough: what came before it is older still, or its clock was wrong. */
const SELECT_LAST_OLD = `
  SELECT max(seq) AS seq FROM (SELECT seq, at FROM events ORDER BY seq LIMIT ?) WHERE at < ?`;
const DELETE_EVENTS = 'DELETE FROM events WHERE seq <= ?';
const NOTE_PRUNED = 'UPDATE event_epoch SET pruned = ?';

const SPACE = '(SELECT id FROM embedding_spaces WHERE model = ? AND dimensions = ?)';
// CROSS JOIN fixes the order: entries by id first, then each one's vector.
const SELECT_POINTS = `
  SELECT e.id, e.version, e.owner_id AS ownerId, p.key, v.vector FROM json_each(?) c
  CROSS JOIN entries e ON e.id = c.value CROSS JOIN partitions p ON p.id = e.partition_id
  LEFT JOIN embeddings v ON v.space_id = ${SPACE} AND v.partition_id = e.partition_id AND v.seq = e.seq`;
const COUNT_POINTS = `SELECT count(*) AS count FROM embeddings WHERE space_id = ${SPACE}`;

interface PointRow {
  readonly id: string;
  readonly version: number;
  readonly ownerId: string;
  readonly key: string;
  readonly vector: Buffer | null;
}

const NOTHING: Swept = { ids: [], texts: [] };

export class SqliteUpkeep implements Upkeep {
  readonly #tenants: SqliteTenants;
  readonly #events: SqliteEventLog;

  /** The log is told of every transaction that removed anything, after it. */
  constructor(tenants: SqliteTenants, events: SqliteEventLog) {
    this.#tenants = tenants;
    this.#events = events;
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
          return { ids, texts: await transaction.remove(ids) };
        });
      },
      () => NOTHING,
    );
    if (swept.ids.length > 0) this.#events.note(tenantId);
    return swept;
  }

  async pruneEvents(tenantId: string, at: number, limit: number): Promise<number> {
    return this.#tenants.read<number | Promise<number>>(
      { tenantId, userId: '' },
      (tenant) => {
        const lastOld = (connection: typeof tenant.connection): number | null =>
          connection.first<{ seq: number | null }>(SELECT_LAST_OLD, limit, at)?.seq ?? null;
        // What is not there must not cost a transaction.
        if (lastOld(tenant.connection) === null) return 0;
        return tenant.write((connection) => {
          const last = lastOld(connection);
          if (last === null) return 0;
          connection.run(NOTE_PRUNED, last);
          return connection.run(DELETE_EVENTS, last).changes;
        });
      },
      () => 0,
    );
  }

  changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event> | undefined> {
    return this.#events.changes(tenantId, after, limit);
  }

  points(tenantId: string, { model, dimensions }: EmbeddingSpace, ids: readonly string[]): Promise<StoredPoint[]> {
    return this.#tenants.read(
      { tenantId, userId: '' },
      ({ connection }) => connection.all<PointRow>(SELECT_POINTS, JSON.stringify(ids), model, dimensions).map(pointOf),
      () => [],
    );
  }

  countPoints(tenantId: string, { model, dimensions }: EmbeddingSpace): Promise<number> {
    return this.#tenants.read(
      { tenantId, userId: '' },
      ({ connection }) => connection.first<{ count: number }>(COUNT_POINTS, model, dimensions)?.count ?? 0,
      () => 0,
    );
  }
}

function pointOf({ id, version, ownerId, key, vector }: PointRow): StoredPoint {
  return {
    id,
    version,
    partition: partitionOfKey(key),
    ownerId: ownerId === '' ? null : ownerId,
    vector: vector === null ? undefined : new Float32Array(new Uint8Array(vector).buffer),
  };
}
