/** Every row of a SQLite file, as a checksum for each table. */

import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';

const SELECT_TABLES =
  "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite_%'";

export function rowSums(file: string): Record<string, string> {
  const db = new Sqlite(file, { readonly: true });
  try {
    const tables = db.prepare<[], { name: string }>(SELECT_TABLES).all();
    return Object.fromEntries(tables.map(({ name }) => [name, sumOf(db, name)]));
  } finally {
    db.close();
  }
}

function sumOf(db: Sqlite.Database, table: string): string {
  const rows = db.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][];
  const lines = rows.map((row) =>
    JSON.stringify(row.map((cell) => (Buffer.isBuffer(cell) ? cell.toString('hex') : cell))),
  );
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex');
}
