/** What PostgreSQL says differently about records. */

import type { RecordDialect, Statement } from '../sql/record-statements.ts';
import type { Parameter } from './postgres-driver.ts';

export const POSTGRES_RECORDS: RecordDialect = {
  schema: 'lamina.',
  tenant: '?::uuid',
  nextVersion: "nextval('lamina.versions')",
  forUpdate: ' FOR UPDATE',
  // As text, so that a record is made of a row in the same way by every engine.
  read: (value, column, type) => (type === 'json' ? `${value}::text AS ${column}` : value),
  list: (type) => `unnest(?::${type === 'text' ? 'text' : 'bigint'}[]) AS list (value)`,
};

/** With `$1`, `$2` and so on in the place of each `?`. */
export function numbered({ sql }: Statement): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

export function boundParameters({ values }: Statement): readonly Parameter[] {
  return values as readonly Parameter[];
}
