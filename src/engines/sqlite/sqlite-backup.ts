/** Copies SQLite files while others write to them, and tells whether a copy is sound. */

import { openSync, closeSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { translated } from './sqlite-error.ts';
import { canTidyUp, hasTable, lookAt } from './sqlite-look.ts';
import { isThere } from './sqlite-presence.ts';
import { FILE_NAME } from './sqlite-tenants.ts';

const MODE = 0o600;

/** Patience with whoever opens or closes the file at this moment. */
const TIMEOUT_MS = 5000;

const SELECT_TABLES = `
  SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;

/** What a file holds, to be compared with a copy of it. */
export interface SqliteContents {
  /** The number of its last migration. */
  readonly schema: number;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Whether it is the file of a tenant. */
export function isTenantFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/**
 * All of the copy is of one moment, and nobody waits for it: it is read in one transaction, which in WAL mode keeps no writer
 * out. The pages are written anew, so that nothing that was deleted is in it. The target must not be there. False where the
 * file is gone. Throws `UNAVAILABLE` for one that cannot be opened.
 */
export function copySqliteFile(file: string, target: string): boolean {
  if (!isThere(file)) return false;
  // SQLite takes an empty file as it is, with its mode.
  closeSync(openSync(target, 'wx', MODE));
  try {
    copyInto(target, file);
    return true;
  } catch (error) {
    throw translated(error);
  }
}

function copyInto(target: string, file: string): void {
  const db = new Sqlite(file, { readonly: !canTidyUp(file), fileMustExist: true, timeout: TIMEOUT_MS });
  try {
    loadVectorFunctions(db);
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}

export function contentsOf(file: string): SqliteContents {
  return lookAt(file, (db) => ({ schema: schemaOf(db), rows: rowsOf(db) }));
}

/** What is broken in it: nothing, where it is sound. */
export function damageOf(file: string): string[] {
  return lookAt(file, (db) => {
    const found = db.pragma('integrity_check(5)') as { integrity_check: string }[];
    const strays = db.pragma('foreign_key_check') as unknown[];
    const told = found.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    return [...told, ...(strays.length > 0 ? [`${strays.length} rows refer to what is not there`] : [])];
  });
}

function schemaOf(db: Database): number {
  if (!hasTable(db, 'schema_migrations')) return 0;
  const row = db.prepare<[], { number: number | null }>('SELECT max(number) AS number FROM schema_migrations').get();
  return row?.number ?? 0;
}

function rowsOf(db: Database): Record<string, number> {
  const tables = db.prepare<[], { name: string }>(SELECT_TABLES).all();
  const counts = tables.map(({ name }) => {
    const row = db.prepare<[], { count: number }>(`SELECT count(*) AS count FROM "${name}"`).get();
    return [name, row?.count ?? 0] as const;
  });
  return Object.fromEntries(counts);
}
