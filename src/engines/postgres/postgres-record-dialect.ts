/** What PostgreSQL says differently about records. */

import type { RecordDialect, Statement } from '../sql/record-statements.ts';
import type { Parameter } from './postgres-driver.ts';

/** What a list of such values holds; nobody lists free JSON. */
const LISTED = { text: 'text', json: 'text', time: 'bigint', integer: 'bigint', boolean: 'boolean' } as const;

export const POSTGRES_RECORDS: RecordDialect = {
  schema: 'lamina.',
  tenant: '?::uuid',
  nextVersion: "nextval('lamina.versions')",
  forUpdate: ' FOR UPDATE',
  // As text, so that a record is made of a row in the same way by every engine.
  read: (value, column, type) => (type === 'json' ? `${value}::text AS ${column}` : value),
  list: (type) => `unnest(?::${LISTED[type]}[]) AS list (value)`,
  // The first part is that of the index on what has members at all. By name: the operator is written as a question mark.
  hasMember: (column) => `${column} <> '[]' AND jsonb_exists_any(${column}, ARRAY['', ?])`,
  hasName: (column) => `jsonb_exists(${column}, ?)`,
};

/** With `$1`, `$2` and so on in the place of each `?`. */
export function numbered({ sql }: Statement): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

export function boundParameters({ values }: Statement): readonly Parameter[] {
  return values as readonly Parameter[];
}
