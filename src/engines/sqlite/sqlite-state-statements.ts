/** The statements on the table of state. */

export const READ_STATE =
  'SELECT value, version, created_at, updated_at, expires_at FROM state WHERE namespace = ? AND key = ?';

export const LIST_STATE = `
  SELECT key, value, version, created_at, updated_at, expires_at FROM state
  WHERE namespace = ? AND key > ? AND (expires_at IS NULL OR expires_at > ?)
  ORDER BY key LIMIT ?`;

export const PUT_STATE = `
  INSERT OR REPLACE INTO state (namespace, key, value, version, created_at, updated_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

export const REMOVE_STATE = 'DELETE FROM state WHERE namespace = ? AND key = ?';

export const CLEAR_STATE = 'DELETE FROM state WHERE namespace = ? RETURNING key, expires_at';

export const SWEEP_STATE = `
  DELETE FROM state
  WHERE (namespace, key) IN (SELECT namespace, key FROM state WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

export const READ_CLOCK = 'SELECT version FROM state_clock';

export const SET_CLOCK = 'UPDATE state_clock SET version = ?';
