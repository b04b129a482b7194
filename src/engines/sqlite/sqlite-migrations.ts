/** Numbered migrations, forward only: each tenant's file is brought up to date when it is opened. */

import type { Database } from 'better-sqlite3';
import { pendingMigrations, type AppliedMigration, type Migration } from '../sql/migrations.ts';

const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

/** Throws `CONFIGURATION_ERROR` when the file was made by a newer or a different Lamina. */
export function migrate(db: Database, migrations: readonly Migration[], now: number): void {
  // Most openings find nothing to do, and must not wait for a writer in another process to see that.
  if (hasLedger(db) && pendingMigrations(migrations, appliedTo(db)).length === 0) return;
  db.transaction(() => {
    db.exec(CREATE_LEDGER);
    const record = db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
    for (const { number, name, sql, checksum } of pendingMigrations(migrations, appliedTo(db))) {
      db.exec(sql);
      record.run(number, name, checksum, now);
    }
  }).immediate();
}

function hasLedger(db: Database): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() !== undefined;
}

/** A file is used by one Lamina at a time, and a newer one has no reason to leave it to an older: all are breaking. */
export function appliedTo(db: Database): AppliedMigration[] {
  const rows = db
    .prepare<[], { number: number; checksum: string }>('SELECT number, checksum FROM schema_migrations')
    .all();
  return rows.map((row) => ({ ...row, isBreaking: true }));
}
