/** The statements on the table of state. Values travel as text: they are parsed where they are needed. */

/**
 * Taken before a version is drawn, so that versions grow per key also where there is no row to wait for. The length keeps
 * apart what would read the same when joined.
 */
export const LOCK_STATE = `
  SELECT pg_advisory_xact_lock(hashtextextended($1::text || length($2::text) || ':' || $2::text || $3::text, 0))`;

/** Of a value as it is given back; and of one that the caller knows already. */
const STAMP = 'version, created_at, updated_at, expires_at, access_count, last_accessed_at';
const COLUMNS = `value::text AS value, ${STAMP}`;

/** When it goes, out of sight or not. Spelled as in the index on it. */
const END = '(CASE WHEN kept_until IS NULL THEN expires_at ELSE kept_until END)';

export const READ_STATE = `
  SELECT ${COLUMNS} FROM lamina.state
  WHERE tenant_id = $1 AND namespace = $2 AND key = $3 AND (expires_at IS NULL OR expires_at > $4)`;

/** Locks it as well: who clears the namespace takes no lock by key. */
export const READ_STATE_TO_CHANGE = `
  SELECT ${COLUMNS} FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 AND key = $3 FOR UPDATE`;

export const LIST_STATE = `
  SELECT key, ${COLUMNS} FROM lamina.state
  WHERE tenant_id = $1 AND namespace = $2 AND key > $3 AND (expires_at IS NULL OR expires_at > $4)
  ORDER BY key LIMIT $5`;

/**
 * $5 is now. What has expired is not there: nothing of it is kept. $7: whether it keeps the time at which it ends. What is
 * kept beyond its time is kept as long beyond a new one.
 */
export const PUT_STATE = `
  INSERT INTO lamina.state AS s (tenant_id, namespace, key, value, version, created_at, updated_at, expires_at)
  VALUES ($1, $2, $3, $4, nextval('lamina.versions'), $5, $5, $6)
  ON CONFLICT (tenant_id, namespace, key) DO UPDATE SET
    value = excluded.value,
    version = excluded.version,
    created_at = CASE WHEN s.expires_at <= $5 THEN excluded.created_at ELSE s.created_at END,
    updated_at = excluded.updated_at,
    expires_at = CASE WHEN $7::boolean AND s.expires_at > $5 THEN s.expires_at ELSE excluded.expires_at END,
    access_count = CASE WHEN s.expires_at <= $5 THEN 0 ELSE s.access_count END,
    last_accessed_at = CASE WHEN s.expires_at <= $5 THEN NULL ELSE s.last_accessed_at END,
    kept_until = CASE WHEN s.expires_at > $5
      THEN CASE WHEN $7::boolean THEN s.kept_until ELSE excluded.expires_at + (s.kept_until - s.expires_at) END END
  RETURNING ${STAMP}`;

export const REMOVE_STATE = `
  WITH gone AS (DELETE FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 AND key = $3 RETURNING expires_at)
  SELECT count(*) AS count FROM gone WHERE expires_at IS NULL OR expires_at > $4`;

export const CLEAR_STATE = `
  WITH gone AS (DELETE FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 RETURNING expires_at)
  SELECT count(*) AS count FROM gone WHERE expires_at IS NULL OR expires_at > $3`;

/** Never waits: whoever changes an expired value replaces it anyway. By its place in the file, in which it is locked. */
export const SWEEP_STATE = `
  DELETE FROM lamina.state WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM lamina.state s WHERE s.tenant_id = $1 AND s.expires_at IS NOT NULL AND ${END} <= $2
    ORDER BY ${END} LIMIT $3 FOR UPDATE SKIP LOCKED))`;

/** What came in the place of a value after it was read has not been read. */
export const COUNT_STATE_ACCESSES = `
  UPDATE lamina.state s SET
    access_count = s.access_count + t.count,
    last_accessed_at = greatest(s.last_accessed_at, t.at),
    kept_until = CASE WHEN s.access_count + t.count >= t.accesses THEN s.expires_at + t.ms ELSE s.kept_until END
  FROM json_to_recordset($1::json)
    AS t (namespace text, key text, count bigint, at bigint, accesses bigint, ms bigint)
  WHERE s.tenant_id = (SELECT lamina.current_tenant()) AND s.namespace = t.namespace AND s.key = t.key
    AND s.created_at <= t.at`;

export const MEASURE_STATE = `
  SELECT count(*) AS count, coalesce(sum(octet_length(value::text)), 0)::bigint AS bytes,
         coalesce(sum(access_count), 0)::bigint AS accesses
  FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 AND (expires_at IS NULL OR expires_at > $3)`;

/** No namespace holds the last of all characters. */
export const FREQUENT_STATE = `
  SELECT namespace, key, ${COLUMNS} FROM lamina.state
  WHERE tenant_id = $1 AND namespace >= $2 AND namespace < $2 || chr(1114111) AND (namespace, key) > ($3, $4)
    AND access_count >= $5 AND (expires_at IS NULL OR ${END} > $6)
  ORDER BY namespace, key LIMIT $7`;

export const SELECT_TENANTS = `
  SELECT t.id FROM lamina.tenants t WHERE $1::uuid IS NULL OR t.id > $1::uuid ORDER BY t.id LIMIT $2`;
