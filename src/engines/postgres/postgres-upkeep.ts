/**
 * Background work on a tenant, over all of its users, which is administration: removing what has expired and events that are
 * too old, and telling an index beside the database what there is.
 */

import { partitionOfKey } from '../../domain/access.ts';
import type { Event } from '../../domain/event.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { StoredPoint, Swept, Upkeep } from '../../ports/upkeep.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import { DELETE_ENTRIES, LOCK_PARTITIONS_OF, SELECT_TEXTS } from './postgres-entry-writes.ts';
import { MOST_NOTED, type PostgresEventLog } from './postgres-event-log.ts';
import { vectorOf } from './postgres-vector.ts';

/**
 * Locked in the order in which everyone does. Whoever has extended its time meanwhile has done so in time: after the wait
 * for a row its condition is looked at again.
 */
const LOCK_EXPIRED = `
  SELECT e.id, e.seq AS seen_seq, e.version AS seen_version FROM lamina.entries e
  WHERE e.tenant_id = $1 AND e.expires_at <= $2 AND e.seq = ANY (ARRAY(
    SELECT x.seq FROM lamina.entries x WHERE x.tenant_id = $1 AND x.expires_at <= $2 ORDER BY x.expires_at LIMIT $3))
  ORDER BY e.seq FOR NO KEY UPDATE`;

/**
 * Of the first so many all up to the last that is old enough, but none before which a transaction is still under way: nothing is
 * to come later to where the log has been pruned. What is noted never goes back, but on another server: see the migration.
 */
const PRUNE_EVENTS = `
  WITH state AS MATERIALIZED (
    SELECT pg_snapshot_xmin(s.now)::text::bigint AS xmin, pg_snapshot_xmax(s.now)::text::bigint AS xmax
    FROM (SELECT pg_current_snapshot() AS now) s),
  last AS MATERIALIZED (
    SELECT o.transaction, o.seq FROM (
      SELECT e.transaction, e.seq, e.at FROM lamina.events e
      WHERE e.tenant_id = $1 AND e.transaction < (SELECT s.xmin FROM state s) ORDER BY e.transaction, e.seq LIMIT $3) o
    WHERE o.at < $2 ORDER BY o.transaction DESC, o.seq DESC LIMIT 1),
  noted AS (
    UPDATE lamina.tenants t SET pruned_transaction = l.transaction, pruned_seq = l.seq, pruned_lately = ARRAY(
      SELECT n.transaction FROM (
        SELECT unnest(t.pruned_lately) AS transaction UNION
        SELECT e.transaction FROM lamina.events e
        WHERE e.tenant_id = $1 AND (e.transaction, e.seq) <= (l.transaction, l.seq)) n
      WHERE n.transaction <= l.transaction ORDER BY n.transaction DESC LIMIT ${MOST_NOTED})
    FROM last l, state s
    WHERE t.id = $1
      AND ((t.pruned_transaction, t.pruned_seq) >= (l.transaction, l.seq) AND t.pruned_transaction < s.xmax) IS NOT TRUE)
  DELETE FROM lamina.events e USING last l
  WHERE e.tenant_id = $1 AND (e.transaction, e.seq) <= (l.transaction, l.seq)`;

const SPACE = '(SELECT s.id FROM lamina.embedding_spaces s WHERE s.model = $2 AND s.dimensions = $3)';
const SELECT_POINTS = `
  SELECT e.id, e.version, e.owner_id AS "ownerId", p.key, v.vector::text AS vector FROM unnest($4::uuid[]) AS i (id)
  CROSS JOIN LATERAL (SELECT e.* FROM lamina.entries e WHERE e.tenant_id = $1 AND e.id = i.id LIMIT 1) e
  CROSS JOIN LATERAL (SELECT p.key FROM lamina.partitions p WHERE p.tenant_id = $1 AND p.id = e.partition_id LIMIT 1) p
  LEFT JOIN LATERAL (
    SELECT v.vector FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.seq = e.seq AND v.space_id = ${SPACE} LIMIT 1
  ) v ON true`;
const COUNT_POINTS = `SELECT count(*) AS count FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.space_id = ${SPACE}`;

interface PointRow extends Omit<StoredPoint, 'partition' | 'vector'> {
  readonly key: string;
  readonly vector: string | null;
}

/** Who does it is nobody. */
const NOBODY = '';

export class PostgresUpkeep implements Upkeep {
  readonly #database: PostgresDatabase;
  readonly #events: PostgresEventLog;

  /** The log is told of every transaction that removed anything, after it. */
  constructor(database: PostgresDatabase, events: PostgresEventLog) {
    this.#database = database;
    this.#events = events;
  }

  async removeExpired(tenantId: string, at: number, limit: number): Promise<Swept> {
    const swept = await this.#database.transaction(administration(tenantId), async (transaction): Promise<Swept> => {
      const { rows } = await transaction.query<{ id: string }>(LOCK_EXPIRED, [tenantId, at, limit]);
      if (rows.length === 0) return { ids: [], texts: [] };
      const ids = rows.map(({ id }) => id);
      transaction.send(LOCK_PARTITIONS_OF, [ids]);
      const texts = transaction.query<{ text: string }>(SELECT_TEXTS, [ids]);
      transaction.send(DELETE_ENTRIES, [JSON.stringify(rows), NOBODY, at, rows.length]);
      return { ids, texts: (await texts).rows.map(({ text }) => text) };
    });
    if (swept.ids.length > 0) this.#events.note(tenantId);
    return swept;
  }

  async pruneEvents(tenantId: string, at: number, limit: number): Promise<number> {
    return (await this.#database.write(administration(tenantId), PRUNE_EVENTS, [tenantId, at, limit])).count;
  }

  changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event> | undefined> {
    return this.#events.changes(tenantId, after, limit);
  }

  async points(tenantId: string, space: EmbeddingSpace, ids: readonly string[]): Promise<StoredPoint[]> {
    const values = [tenantId, space.model, space.dimensions, ids];
    const rows = await this.#database.read<PointRow>(administration(tenantId), SELECT_POINTS, values);
    return rows.map(({ key, vector, ...row }) => ({
      ...row,
      partition: partitionOfKey(key),
      vector: vector === null ? undefined : vectorOf(vector),
    }));
  }

  async countPoints(tenantId: string, { model, dimensions }: EmbeddingSpace): Promise<number> {
    const values = [tenantId, model, dimensions];
    const [row] = await this.#database.read<{ count: number }>(administration(tenantId), COUNT_POINTS, values);
    return row?.count ?? 0;
  }
}

function administration(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
