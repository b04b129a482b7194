/** Numbered migrations, forward only: each tenant's file is brought up to date when it is opened. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { LaminaError } from '../../domain/error.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** The same place from `src/` and from `dist/`. */
const FOLDER = new URL('../../../sql/sqlite/', import.meta.url);

const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

export function readMigrations(folder: URL = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8');
      return { number: Number(name.slice(0, 4)), name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/** Throws `CONFIGURATION_ERROR` when the file was made by a newer or a different Lamina. */
export function migrate(db: Database, migrations: readonly Migration[], now: number): void {
  // Most openings find nothing to do, and must not wait for a writer in another process to see that.
  if (isCurrent(db, migrations)) return;
  db.transaction(() => {
    db.exec(CREATE_LEDGER);
    const applied = appliedTo(db);
    assertKnown(applied, migrations);
    const record = db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
    for (const { number, name, sql, checksum } of migrations) {
      if (applied.has(number)) continue;
      db.exec(sql);
      record.run(number, name, checksum, now);
    }
  }).immediate();
}

function appliedTo(db: Database): Map<number, string> {
  const rows = db
    .prepare<[], { number: number; checksum: string }>('SELECT number, checksum FROM schema_migrations')
    .all();
  return new Map(rows.map((row) => [row.number, row.checksum]));
}

function isCurrent(db: Database, migrations: readonly Migration[]): boolean {
  const ledger = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  if (ledger === undefined) return false;
  const applied = appliedTo(db);
  assertKnown(applied, migrations);
  return applied.size === migrations.length;
}

function assertKnown(applied: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
  for (const [number, checksum] of applied) {
    const known = migrations.find((migration) => migration.number === number);
    if (known === undefined) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `The data was written by a newer Lamina (schema ${number}; this one knows up to ${migrations.at(-1)?.number}). Upgrade Lamina.`,
      );
    }
    if (known.checksum !== checksum) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `Migration ${known.name} was changed after it had been applied to this data.`,
      );
    }
  }
}
