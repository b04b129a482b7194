/** What SQLite says differently about records. */

import type { Cell } from '../sql/record-row.ts';
import type { RecordDialect, Statement } from '../sql/record-statements.ts';

export const SQLITE_RECORDS: RecordDialect = {
  schema: '',
  tenant: undefined,
  // Moved on at the beginning of each transaction, which writes one record at most.
  nextVersion: '(SELECT version FROM record_clock)',
  forUpdate: '',
  read: (value) => value,
  list: () => 'json_each(?)',
};

/** Lists are bound as JSON text, which `json_each` takes apart. */
export function boundValues({ values }: Statement): Cell[] {
  return values.map((bound) => (typeof bound === 'object' ? bound && JSON.stringify(bound) : bound));
}
