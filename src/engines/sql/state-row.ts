/** Rows of the table of state, and values as memory holds them. */

import type { Json } from '../../domain/json.ts';
import type { StateItem } from '../../domain/state.ts';
import { isoOf } from './iso-time.ts';

export interface StateRow {
  readonly value: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
  readonly access_count: number;
  readonly last_accessed_at: number | null;
}

/** A value as memory holds it: as text, so that nobody can change it from outside. */
export interface HeldState {
  readonly json: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  readonly accessCount: number;
  /** The same. */
  readonly lastAccessedAt: number | null;
}

export function heldOf(row: StateRow): HeldState {
  return {
    json: row.value,
    version: row.version,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
    expiresAt: row.expires_at,
    accessCount: row.access_count,
    lastAccessedAt: row.last_accessed_at,
  };
}

/** Parsed anew each time: every caller gets a value of its own. */
export function itemOf(key: string, held: HeldState): StateItem {
  const { json, version, createdAt, updatedAt, expiresAt, accessCount, lastAccessedAt } = held;
  const item = { key, value: JSON.parse(json) as Json, version, createdAt, updatedAt, accessCount };
  if (expiresAt === null && lastAccessedAt === null) return item;
  return {
    ...item,
    ...(expiresAt !== null && { expiresAt: isoOf(expiresAt) }),
    ...(lastAccessedAt !== null && { lastAccessedAt: isoOf(lastAccessedAt) }),
  };
}
