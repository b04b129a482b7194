/** Rows of the table of state, and values as memory holds them. */

import type { Json } from '../../domain/json.ts';
import type { StateItem } from '../../domain/state.ts';

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
