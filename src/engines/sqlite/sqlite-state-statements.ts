/** The statements on the table of state. */

import { heldOf, type HeldState, type StateRow } from '../sql/state-row.ts';

/** A row with what nobody sees of it. */
export interface KeptStateRow extends StateRow {
  /** Until when it outlives its time, out of sight; null where it goes when it expires. */
  readonly kept_until: number | null;
}

/** The same as memory holds it. */
export interface KeptState extends HeldState {
  readonly keptUntil: number | null;
}

export function keptOf(row: KeptStateRow): KeptState {
  return { ...heldOf(row), keptUntil: row.kept_until };
}

const COLUMNS = 'value, version, created_at, updated_at, expires_at, access_count, last_accessed_at';

/** Spelled as in the index on it. */
const END = 'coalesce(kept_until, expires_at)';

export const READ_STATE = `SELECT ${COLUMNS}, kept_until FROM state WHERE namespace = ? AND key = ?`;

export const LIST_STATE = `
  SELECT key, ${COLUMNS} FROM state
  WHERE namespace = ? AND key > ? AND (expires_at IS NULL OR expires_at > ?)
  ORDER BY key LIMIT ?`;

/** A value that has expired must be removed before: this one begins anew. */
export const PUT_STATE = `
  INSERT INTO state (namespace, key, value, version, created_at, updated_at, expires_at, access_count, last_accessed_at, kept_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (namespace, key) DO UPDATE SET
    value = excluded.value, version = excluded.version, updated_at = excluded.updated_at,
    expires_at = excluded.expires_at, kept_until = excluded.kept_until`;

/** Who did it is not told of pools; the second part of their namespace is the pool. */
export const RECORD_POOL_CHANGE = `
  INSERT INTO events (type, entry_id, version, actor_id, at, pool_id, key)
  VALUES (?, '', ?, '', ?, json_extract(?, '$[1]'), ?)`;

export const REMOVE_STATE = 'DELETE FROM state WHERE namespace = ? AND key = ?';

export const CLEAR_STATE = 'DELETE FROM state WHERE namespace = ? RETURNING key, expires_at';

/** Whether anything is to be swept: asking takes a fraction of the time of a removal that finds nothing. */
export const FIND_OVER = `SELECT 1 FROM state WHERE expires_at IS NOT NULL AND ${END} <= ? LIMIT 1`;

export const SWEEP_STATE = `
  DELETE FROM state WHERE (namespace, key) IN (
    SELECT namespace, key FROM state WHERE expires_at IS NOT NULL AND ${END} <= ? ORDER BY ${END} LIMIT ?)`;

/** From how many accesses on (null: never), with these, and how long it is kept; how often, when and which. */
export const COUNT_STATE_ACCESS = `
  UPDATE state SET
    kept_until = iif(expires_at IS NOT NULL AND access_count >= ? - ?, expires_at + ?, kept_until),
    access_count = access_count + ?,
    last_accessed_at = max(coalesce(last_accessed_at, 0), ?)
  WHERE namespace = ? AND key = ?
  RETURNING access_count AS accessCount, last_accessed_at AS lastAccessedAt, kept_until AS keptUntil`;

export const MEASURE_STATE = `
  SELECT count(*) AS count, coalesce(sum(octet_length(value)), 0) AS bytes, coalesce(sum(access_count), 0) AS accesses
  FROM state WHERE namespace = ? AND (expires_at IS NULL OR expires_at > ?)`;

/** The first condition on accesses is that of the index. No namespace holds the last of all characters. */
export const FREQUENT_STATE = `
  SELECT namespace, key, ${COLUMNS} FROM state
  WHERE namespace >= ? AND namespace < ? || char(0x10ffff) AND (namespace, key) > (?, ?)
    AND access_count > 0 AND access_count >= ? AND (expires_at IS NULL OR ${END} > ?)
  ORDER BY namespace, key LIMIT ?`;

export const READ_CLOCK = 'SELECT version FROM state_clock';

export const SET_CLOCK = 'UPDATE state_clock SET version = ?';
