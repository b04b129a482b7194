/** Records in SQLite. */

import type { RecordStores } from '../../ports/record-store.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export function sqliteRecordStores(_tenants: SqliteTenants): RecordStores {
  return {} as RecordStores;
}
