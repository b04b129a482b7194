/** The statements on the table of state, and its rows as memory holds them. */

import type { Json } from '../../domain/json.ts';
import type { StateItem } from '../../domain/state.ts';

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

export interface StateRow {
  readonly value: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

/** A value as memory holds it: as text, so that nobody can change it from outside. */
export interface HeldState {
  readonly json: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
}

export function heldOf(row: StateRow): HeldState {
  return {
    json: row.value,
    version: row.version,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    expiresAt: row.expires_at,
  };
}

/** Parsed anew each time: every caller gets a value of its own. */
export function itemOf(key: string, { json, version, createdAt, updatedAt, expiresAt }: HeldState): StateItem {
  const value = JSON.parse(json) as Json;
  if (expiresAt === null) return { key, value, version, createdAt, updatedAt };
  return { key, value, version, createdAt, updatedAt, expiresAt: new Date(expiresAt).toISOString() };
}
