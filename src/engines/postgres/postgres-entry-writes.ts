/** The statements that write entries. Each says how many rows it must change; see `lamina.expect`. */

import { MAX_ACCESS_TIMES } from '../../domain/access-times.ts';
import { partitionKey, type Partition } from '../../domain/access.ts';
import { scopeKey } from '../../domain/scope.ts';
import { writtenTable, WRITTEN, WRITTEN_VALUES } from './postgres-entry-row.ts';
import { IN_TENANT } from './postgres-page.ts';
import type { Statement } from './postgres-statement.ts';
import { packedVector } from './postgres-vector.ts';

const OPEN_PARTITIONS = `
  INSERT INTO lamina.partitions (tenant_id, key, layer, scope_key, audience)
  SELECT $1::uuid, p.key, p.layer, p.scope_key, p.audience
  FROM json_to_recordset($2::json) AS p (key text, layer text, scope_key text, audience text) ORDER BY p.key
  ON CONFLICT (tenant_id, key) DO UPDATE SET layer = excluded.layer`;

/**
 * Makes sure that the partitions are there, and locks them: in the order of their keys, so that writers who meet in
 * several wait for each other in one order. Whatever is asked afterwards sees what those before have written.
 */
export function openPartitions(tenantId: string, partitions: readonly Partition[]): Statement {
  const rows = new Map(partitions.map((partition) => [partitionKey(partition), partition]));
  return { sql: OPEN_PARTITIONS, values: [tenantId, JSON.stringify(Array.from(rows, partitionRow))] };
}

/** Locks partitions that are known to be there, in the same order. One that is gone meanwhile is met when it is written to. */
export const LOCK_PARTITIONS = `
  SELECT 1 FROM lamina.partitions p WHERE ${IN_TENANT} AND p.key = ANY ($1::text[]) ORDER BY p.key FOR NO KEY UPDATE`;

function partitionRow([key, { scope, audience }]: [string, Partition]): object {
  return { key, layer: scope.layer, scope_key: scopeKey(scope), audience: audience === '' ? null : audience };
}

/** Locks entries, in the order in which everyone does. Who may not change one does not lock it. */
export const LOCK_ENTRIES = `
  SELECT 1 FROM lamina.entries e WHERE e.id = ANY ($1::uuid[]) ORDER BY e.seq FOR NO KEY UPDATE`;

export const LOCK_PARTITIONS_OF = `
  SELECT 1 FROM lamina.partitions p
  WHERE ${IN_TENANT} AND p.id IN (SELECT e.partition_id FROM lamina.entries e WHERE e.id = ANY ($1::uuid[]))
  ORDER BY p.key FOR NO KEY UPDATE`;

/** Each row with its partition. */
const IN_PARTITION = `
  CROSS JOIN LATERAL (
    SELECT p.tenant_id, p.id FROM lamina.partitions p WHERE ${IN_TENANT} AND p.key = w.partition_key LIMIT 1) p`;

/** Who may see it is decided as `eventAudience` does it for SQLite. */
const tell = (type: string, rows: string): string => `
  told AS (
    INSERT INTO lamina.events (tenant_id, type, entry_id, version, audience, agent_id, actor_id, at)
    SELECT r.tenant_id, '${type}', r.id, r.version, r.audience,
           CASE WHEN r.audience IS NOT NULL AND r.layer = 'agent' THEN r.identifiers ->> 'agentId' END,
           $2::text, $3::bigint
    FROM ${rows} r ORDER BY r.seq)`;

const TOLD = 'e.tenant_id, e.seq, e.id, e.version, e.layer, e.identifiers';

/** Whoever saw it before, or sees it now: one from whom it was taken has to learn that too. */
const SEEN_AUDIENCE = "CASE w.seen ->> 'visibility' WHEN 'private' THEN w.seen ->> 'ownerId' END";
const EITHER_AUDIENCE = `CASE WHEN e.audience = ${SEEN_AUDIENCE} THEN e.audience END AS audience`;

/** Whether an entry says what `w` does. Not as EXISTS, for which the planner would read all that there are, to have them at hand. */
export const saysTheSame = (name: 'NULL' | 'NOT NULL'): string => `(
  SELECT true FROM lamina.entries e
  WHERE e.content_hash = w.content_hash AND e.scope_key = w.scope_key AND e.kind = w.kind AND e.kind <> 'episodic'
    AND coalesce(e.owner_id, '') = coalesce(w.owner_id, '') AND e.external_id IS ${name} LIMIT 1)`;

// Somebody may have come in between who says the same under a name, or without one: no unique index stands against that.
const insert = (onConflict: string, answer: string): string => `
  WITH inserted AS (
    INSERT INTO lamina.entries AS e (tenant_id, partition_id, ${WRITTEN})
    SELECT p.tenant_id, p.id, ${WRITTEN_VALUES}
    FROM ${writtenTable('$1', 'place int, is_new_content boolean')}
    ${IN_PARTITION}
    WHERE CASE
      WHEN w.is_new_content IS NOT TRUE THEN true
      WHEN w.external_id IS NULL THEN ${saysTheSame('NOT NULL')} IS NULL
      ELSE ${saysTheSame('NULL')} IS NULL
    END
    ORDER BY w.place ${onConflict}
    RETURNING ${TOLD}, e.audience),
  ${tell('created', 'inserted')}
  ${answer}`;

/** Values: the rows, the actor, the time, how many. */
export const INSERT_ENTRIES: string = insert('', 'SELECT lamina.expect($4::bigint, (SELECT count(*) FROM inserted))');

/** The same without `how many`, but answers which ids were free. Also those of entries that nobody here may see are taken. */
export const INSERT_ENTRIES_WITH_FREE_ID: string = insert(
  'ON CONFLICT (tenant_id, id) DO NOTHING',
  'SELECT i.id FROM inserted i',
);

/** Keeps what was seen, and writes over it only what is still so. Values: the rows, the actor, the time, how many. */
export const REPLACE_ENTRIES = `
  WITH changed AS (
    UPDATE lamina.entries e SET (partition_id, ${WRITTEN}) = ROW (p.id, ${WRITTEN_VALUES})
    FROM ${writtenTable('$1', 'seen_seq bigint, seen_version bigint, seen json')}
    ${IN_PARTITION}
    WHERE e.id = w.id AND e.version = w.seen_version AND e.seq = coalesce(w.seen_seq, e.seq)
    RETURNING ${TOLD}, ${EITHER_AUDIENCE}, e.updated_at, w.seen_version, w.seen),
  kept AS (
    INSERT INTO lamina.entry_versions (tenant_id, seq, version, entry, replaced_at)
    SELECT c.tenant_id, c.seq, c.seen_version, c.seen, c.updated_at FROM changed c),
  ${tell('updated', 'changed')}
  SELECT lamina.expect($4::bigint, (SELECT count(*) FROM changed))`;

export const DELETE_EMBEDDINGS = `
  DELETE FROM lamina.embeddings v USING lamina.entries e WHERE e.id = ANY ($1::uuid[]) AND v.seq = e.seq`;

/** Of a vector `w`: whether its space is in use. */
export const IS_KEPT = 'NOT EXISTS (SELECT 1 FROM lamina.spaces_in_use u WHERE w.space_id <> ALL (u.kept))';

/** Before vectors are written: the spaces in which each of the writes has one. Refused where others are needed by now. */
export const USE_SPACES = 'SELECT lamina.use_spaces($1::int[])';

/** Writes the vectors of a table `given`, each as `w`, that fulfil the condition. Which of them are indexed depends on where they lie. */
export const insertGiven = (vectorSchema: string, condition: string): string => `
  places AS MATERIALIZED (
    SELECT g.partition_id, lamina.is_indexed(g.tenant_id, g.partition_id, g.audience) AS is_indexed
    FROM (SELECT DISTINCT g.tenant_id, g.partition_id, g.audience FROM given g) g)
  INSERT INTO lamina.embeddings (tenant_id, seq, space_id, partition_id, audience, vector, is_indexed)
  SELECT w.tenant_id, w.seq, w.space_id, w.partition_id, w.audience, ${packedVector(vectorSchema)}, p.is_indexed
  FROM given w JOIN places p ON p.partition_id = w.partition_id
  WHERE ${condition}
  ORDER BY w.seq`;

/** Values: {@link packedValues}. */
export const insertEmbeddings = (vectorSchema: string, condition = 'true'): string => `
  WITH given AS MATERIALIZED (
    SELECT e.tenant_id, e.seq, e.partition_id, e.audience, w.space_id, w.start, w.dimensions
    FROM json_to_recordset($1::json) AS w (id uuid, space_id int, start int, dimensions int)
    CROSS JOIN LATERAL (
      SELECT e.tenant_id, e.seq, e.partition_id, e.audience FROM lamina.entries e WHERE e.id = w.id LIMIT 1) e),
  ${insertGiven(vectorSchema, condition)}`;

/** Every text that may have been embedded for these entries, of all versions. */
export const SELECT_TEXTS = `
  SELECT t.text FROM (
    SELECT e.content AS text FROM lamina.entries e WHERE e.id = ANY ($1::uuid[])
    UNION ALL
    SELECT e.trigger_condition FROM lamina.entries e WHERE e.id = ANY ($1::uuid[])
    UNION ALL
    SELECT t.text FROM lamina.entries e
    CROSS JOIN LATERAL (SELECT v.entry FROM lamina.entry_versions v WHERE v.seq = e.seq OFFSET 0) v
    CROSS JOIN LATERAL (VALUES (v.entry ->> 'content'), (v.entry ->> 'triggerCondition')) AS t (text)
    WHERE e.id = ANY ($1::uuid[])) t
  WHERE t.text IS NOT NULL`;

/** Versions, vectors and accesses go with them. Of those that were seen, all must still be so. */
export const DELETE_ENTRIES = `
  WITH gone AS (
    DELETE FROM lamina.entries e
    USING json_to_recordset($1::json) AS w (id uuid, seen_seq bigint, seen_version bigint)
    WHERE e.id = w.id AND e.version = coalesce(w.seen_version, e.version) AND e.seq = coalesce(w.seen_seq, e.seq)
    RETURNING ${TOLD}, e.audience, w.seen_version),
  ${tell('deleted', 'gone')}
  SELECT lamina.expect($4::bigint, (SELECT count(*) FROM gone g WHERE g.seen_version IS NOT NULL))`;

// In the order of seq, as everyone who locks several entries. What is gone, or not this user's to see, is left out.
export const COUNT_ACCESSES = `
  INSERT INTO lamina.entry_accesses AS a (tenant_id, seq, access_count, last_accessed_at, access_times)
  SELECT e.tenant_id, e.seq, t.count, t.at, t.times
  FROM json_to_recordset($1::json) AS t (id uuid, count bigint, at bigint, times bigint[])
  JOIN lamina.entries e ON e.id = t.id
  ORDER BY e.seq
  ON CONFLICT (tenant_id, seq) DO UPDATE
  SET access_count = a.access_count + excluded.access_count,
      last_accessed_at = greatest(a.last_accessed_at, excluded.last_accessed_at),
      access_times = ARRAY(
        SELECT t.at FROM unnest(excluded.access_times || a.access_times) AS t (at) ORDER BY t.at DESC LIMIT ${MAX_ACCESS_TIMES})`;

/** Those who merge by meaning in a partition wait for each other, because no index could tell that they met. */
export const LOCK_MEANING = `
  SELECT pg_advisory_xact_lock(l.lock) FROM (
    SELECT DISTINCT hashtextextended($1::text || k.key, 0) AS lock FROM unnest($2::text[]) AS k (key) ORDER BY 1) l`;
