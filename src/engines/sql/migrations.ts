/** Numbered migrations, forward only, as every SQL engine reads and checks them. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { LaminaError } from '../../domain/error.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /** Whether a Lamina that does not know it can no longer use the data. Its file begins with `-- breaking`. */
  readonly isBreaking: boolean;
}

/** A migration as the ledger of a database names it. */
export interface AppliedMigration {
  readonly number: number;
  readonly checksum: string;
  readonly isBreaking: boolean;
}

/** The same place from `src/` and from `dist/`. */
const FOLDER = new URL('../../../sql/', import.meta.url);

/** The migrations in a folder of `sql/`, such as `sqlite`. */
export function readMigrations(folder: string, root: URL = FOLDER): Migration[] {
  const place = new URL(`${folder}/`, root);
  return readdirSync(place)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(new URL(name, place), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { number: Number(name.slice(0, 4)), name, sql, checksum, isBreaking: sql.startsWith('-- breaking') };
    });
}

/** What is still to be done. Throws `CONFIGURATION_ERROR` when a newer or a different Lamina has been here. */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const byNumber = new Map(known.map((migration) => [migration.number, migration]));
  for (const { number, checksum, isBreaking } of applied) {
    const migration = byNumber.get(number);
    if (migration === undefined && isBreaking) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `The data was written by a newer Lamina (schema ${number}; this one knows up to ${known.at(-1)?.number}). Upgrade Lamina.`,
      );
    }
    if (migration !== undefined && migration.checksum !== checksum) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `Migration ${migration.name} was changed after it had been applied to this data.`,
      );
    }
  }
  const done = new Set(applied.map(({ number }) => number));
  return known.filter(({ number }) => !done.has(number));
}
