/** A file opened to be looked at: nothing is written to it, and nothing is left beside it. */

import { accessSync, constants, existsSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';

const PATIENCE_MS = 2000;

/** Throws what SQLite says. */
export function lookAt<T>(file: string, look: (db: Database) => T): T {
  const db = new Sqlite(file, { readonly: !canTidyUp(file), fileMustExist: true, timeout: PATIENCE_MS });
  try {
    db.pragma('query_only = ON');
    return look(db);
  } finally {
    db.close();
  }
}

/**
 * Who only reads leaves the log and its index behind where there were none, and who may write takes them away again. Where there
 * is a log already it is somebody else's, and may have to be kept as it is.
 */
export function canTidyUp(file: string): boolean {
  if (existsSync(`${file}-wal`)) return false;
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function countIn(db: Database, sql: string, ...values: readonly (string | number)[]): number {
  return db.prepare<unknown[], { count: number }>(sql).get(...values)?.count ?? 0;
}

export function hasTable(db: Database, name: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}
