/** Keeps a process without a master key from what another one has begun to seal meanwhile. */

import { sealedElsewhere } from '../sql/key-row.ts';
import type { Purpose } from './postgres-database.ts';
import { codeOf } from './postgres-error.ts';

/** The purpose with which a transaction begins that is guarded: it lets the keys of all tenants be seen. */
export const GUARDED: Purpose = 'directory';

/**
 * Follows the statement by which a transaction says for whom it is, and gives it its purpose. It fails where there are keys, and
 * takes what follows with it, so that nobody has to wait for the answer. Nearly always the table is empty.
 */
export const GUARD = `
  SELECT set_config('app.purpose', left($1, 100 / CASE WHEN EXISTS (SELECT 1 FROM lamina.data_keys) THEN 0 ELSE 1 END), true)`;

const DIVISION_BY_ZERO = '22012';

/** Throws `CONFIGURATION_ERROR` for what it fails with. */
export async function guarded<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw codeOf(error) === DIVISION_BY_ZERO ? sealedElsewhere() : error;
  }
}
