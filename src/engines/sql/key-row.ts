/** Rows of the table of data keys, the same in every SQL database. */

import { LaminaError } from '../../domain/error.ts';
import type { KeyPurpose, StoredKey } from '../../ports/key-store.ts';

export interface KeyRow {
  readonly id: string;
  readonly purpose: KeyPurpose;
  readonly wrapped: string;
  readonly master_id: string;
  readonly created_at: number;
  readonly retired_at: number | null;
  readonly complete_at: number | null;
}

export const KEY_COLUMNS = 'id, purpose, wrapped, master_id, created_at, retired_at, complete_at';

export function keyOf(row: KeyRow): StoredKey {
  const { id, purpose, wrapped } = row;
  const times = { createdAt: row.created_at, retiredAt: row.retired_at, completeAt: row.complete_at };
  return { id, purpose, wrapped, masterId: row.master_id, ...times };
}

/** In the order of {@link KEY_COLUMNS}. */
export function keyCellsOf(key: StoredKey): [string, string, string, string, number, number | null, number | null] {
  return [key.id, key.purpose, key.wrapped, key.masterId, key.createdAt, key.retiredAt, key.completeAt];
}

/** What whoever has no master key is told. */
export function sealedElsewhere(): LaminaError {
  return new LaminaError(
    'CONFIGURATION_ERROR',
    'What is stored here is sealed, and this process has no master key. Set LAMINA_MASTER_KEY_FILE and start it again; see docs/encryption.md.',
  );
}
