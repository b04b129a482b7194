/** What SQLite says differently about records. */

import type { RecordDialect, Statement } from '../sql/record-statements.ts';

export const SQLITE_RECORDS: RecordDialect = {
  schema: '',
  tenant: undefined,
  // Moved on at the beginning of each transaction, which writes one record at most.
  nextVersion: '(SELECT version FROM record_clock)',
  forUpdate: '',
  read: (value) => value,
  list: () => 'json_each(?)',
  // The first part is that of the index on what has members at all.
  hasMember: (column) => `${column} <> '[]' AND EXISTS (SELECT 1 FROM json_each(${column}) WHERE value IN ('', ?))`,
  hasName: (column) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?)`,
};

/** Lists are bound as JSON text, which `json_each` takes apart; booleans as 0 and 1. */
export function boundValues({ values }: Statement): (string | number | null)[] {
  return values.map((bound) => {
    if (typeof bound === 'boolean') return Number(bound);
    return typeof bound === 'object' ? bound && JSON.stringify(bound) : bound;
  });
}
