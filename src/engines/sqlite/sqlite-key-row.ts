/** Whether what a tenant's file holds is sealed. */

import type { SqliteConnection } from './sqlite-connection.ts';

const SELECT_ANY_KEY = 'SELECT 1 FROM data_keys LIMIT 1';

export function hasDataKeys(connection: SqliteConnection): boolean {
  return connection.first(SELECT_ANY_KEY) !== undefined;
}
