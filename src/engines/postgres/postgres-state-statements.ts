/** The statements on the table of state. Values travel as text: they are parsed where they are needed. */

/**
 * Taken before a version is drawn, so that versions grow per key also where there is no row to wait for. The length keeps
 * apart what would read the same when joined.
 */
export const LOCK_STATE = `
  SELECT pg_advisory_xact_lock(hashtextextended($1::text || length($2::text) || ':' || $2::text || $3::text, 0))`;

export const READ_STATE = `
  SELECT value::text AS value, version, created_at, updated_at, expires_at FROM lamina.state
  WHERE tenant_id = $1 AND namespace = $2 AND key = $3 AND (expires_at IS NULL OR expires_at > $4)`;

/** Locks it as well: who clears the namespace takes no lock by key. */
export const READ_STATE_TO_CHANGE = `
  SELECT value::text AS value, version, created_at, updated_at, expires_at FROM lamina.state
  WHERE tenant_id = $1 AND namespace = $2 AND key = $3 FOR UPDATE`;

export const LIST_STATE = `
  SELECT key, value::text AS value, version, created_at, updated_at, expires_at FROM lamina.state
  WHERE tenant_id = $1 AND namespace = $2 AND key > $3 AND (expires_at IS NULL OR expires_at > $4)
  ORDER BY key LIMIT $5`;

/** $5 is now. What has expired is not there: nothing of it is kept. $7: whether it keeps the time at which it ends. */
export const PUT_STATE = `
  INSERT INTO lamina.state AS s (tenant_id, namespace, key, value, version, created_at, updated_at, expires_at)
  VALUES ($1, $2, $3, $4, nextval('lamina.versions'), $5, $5, $6)
  ON CONFLICT (tenant_id, namespace, key) DO UPDATE SET
    value = excluded.value,
    version = excluded.version,
    created_at = CASE WHEN s.expires_at <= $5 THEN excluded.created_at ELSE s.created_at END,
    updated_at = excluded.updated_at,
    expires_at = CASE WHEN $7::boolean AND s.expires_at > $5 THEN s.expires_at ELSE excluded.expires_at END
  RETURNING version, created_at, updated_at, expires_at`;

export const REMOVE_STATE = `
  WITH gone AS (DELETE FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 AND key = $3 RETURNING expires_at)
  SELECT count(*) AS count FROM gone WHERE expires_at IS NULL OR expires_at > $4`;

export const CLEAR_STATE = `
  WITH gone AS (DELETE FROM lamina.state WHERE tenant_id = $1 AND namespace = $2 RETURNING expires_at)
  SELECT count(*) AS count FROM gone WHERE expires_at IS NULL OR expires_at > $3`;

/** Never waits: whoever changes an expired value replaces it anyway. */
export const SWEEP_STATE = `
  DELETE FROM lamina.state s USING (
    SELECT namespace, key FROM lamina.state WHERE tenant_id = $1 AND expires_at <= $2
    ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS o
  WHERE s.tenant_id = $1 AND s.namespace = o.namespace AND s.key = o.key`;

export const SELECT_TENANTS = `
  SELECT t.id FROM lamina.tenants t WHERE $1::uuid IS NULL OR t.id > $1::uuid ORDER BY t.id LIMIT $2`;
