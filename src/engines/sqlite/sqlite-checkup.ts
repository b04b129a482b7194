/** Looks at a folder of SQLite files without changing them. */

import { join, relative, resolve } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import type { LoggedEntry } from '../../domain/audit-chain.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Checkup, Damage, Drift, SchemaGap, StoredContent } from '../../ports/checkup.ts';
import type { ChainPosition } from '../../ports/audit-log.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { StoredKey } from '../../ports/key-store.ts';
import type { SpacesInUse } from '../../ports/space-store.ts';
import { AUDIT_COLUMNS, auditEntryOf, type BeyondRow } from '../sql/audit-row.ts';
import { KEY_COLUMNS, keyOf, type KeyRow } from '../sql/key-row.ts';
import { pendingMigrations, readMigrations, type Migration } from '../sql/migrations.ts';
import { IN_CHAIN } from './sqlite-audit-log.ts';
import { isBusy } from './sqlite-error.ts';
import { countIn, hasTable, lookAt } from './sqlite-look.ts';
import { appliedTo } from './sqlite-migrations.ts';
import { isThere, namesIn } from './sqlite-presence.ts';
import { FILE_NAME } from './sqlite-tenants.ts';

const SELECT_SPACES = 'SELECT state FROM spaces_in_use';
const SELECT_FILLED = `
  SELECT s.model, s.dimensions FROM embedding_spaces s
  WHERE EXISTS (SELECT 1 FROM embeddings v WHERE v.space_id = s.id)`;

const COUNT_ENTRIES = 'SELECT count(*) AS count FROM entries';
const COUNT_WITHOUT_VECTOR = `
  SELECT count(*) AS count FROM entries e WHERE NOT EXISTS (
    SELECT 1 FROM embeddings v JOIN embedding_spaces s ON s.id = v.space_id
    WHERE v.seq = e.seq AND s.model = ? AND s.dimensions = ?)`;
const COUNT_STRAY_VECTORS = `
  SELECT count(*) AS count FROM embeddings v WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.seq = v.seq)`;
// The index does not keep the text, but how long each one was.
const COUNT_WITHOUT_WORDS = `
  SELECT count(*) AS count FROM entries e
  WHERE e.lexemes <> '' AND NOT EXISTS (SELECT 1 FROM entry_text_docsize d WHERE d.id = e.seq)`;
const COUNT_STRAY_WORDS = `
  SELECT count(*) AS count FROM entry_text_docsize d WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.seq = d.id)`;
const SELECT_CONTENTS = `
  SELECT seq, id, content, content_hash AS contentHash FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`;
const COUNT_UNSEALED = `
  SELECT (SELECT count(*) FROM entries WHERE content NOT GLOB 'lam1:*')
    + (SELECT count(*) FROM state WHERE value NOT GLOB '"lam1:*')
    + (SELECT count(*) FROM facts WHERE metadata NOT GLOB '{"sealed":"lam1:*') AS count`;
const COUNT_EXPIRED_KEYS = 'SELECT count(*) AS count FROM api_keys WHERE revoked_at IS NULL AND expires_at <= ?';
const COUNT_FAILED_RUNS = "SELECT count(*) AS count FROM maintenance_runs WHERE status = 'failed' AND started_at >= ?";

/** Of what one file can have of it. */
const MAX_DAMAGES = 5;

export class SqliteCheckup implements Checkup {
  readonly #folder: string;

  /** The folder is one that is there. */
  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async reach(): Promise<string> {
    const db = new Sqlite(':memory:');
    try {
      const row = db.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get();
      return `SQLite ${row?.version ?? ''}`;
    } finally {
      db.close();
    }
  }

  async now(): Promise<undefined> {}

  async schema(): Promise<SchemaGap[]> {
    const [own, system] = [readMigrations('sqlite'), readMigrations('sqlite/system')];
    const files = this.#files();
    const gaps: SchemaGap[] = [];
    for (const file of files) {
      await breath();
      gaps.push(...this.#gapIn(file, file === this.#system ? system : own));
    }
    return gaps;
  }

  async tenants(): Promise<string[]> {
    return this.#tenantFiles().flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []);
  }

  async spaces(): Promise<SpacesInUse | undefined> {
    if (!isThere(this.#system)) return undefined;
    return lookAt(this.#system, (db) => {
      const row = hasTable(db, 'spaces_in_use') && db.prepare<[], { state: string }>(SELECT_SPACES).get();
      return row ? (JSON.parse(row.state) as SpacesInUse) : undefined;
    });
  }

  async filledSpaces(): Promise<EmbeddingSpace[]> {
    const found = new Map<string, EmbeddingSpace>();
    for (const tenantId of await this.tenants()) {
      await breath();
      const spaces = lookAt(this.#fileOf(tenantId), (db) => db.prepare<[], EmbeddingSpace>(SELECT_FILLED).all());
      for (const space of spaces) found.set(JSON.stringify(space), space);
    }
    return [...found.values()];
  }

  async damage(isThorough: boolean, signal: AbortSignal): Promise<Damage[]> {
    const damages: Damage[] = [];
    for (const file of this.#files()) {
      await breath();
      signal.throwIfAborted();
      damages.push(...this.#damageIn(file, isThorough).map((what) => ({ where: this.#shown(file), what })));
    }
    return damages;
  }

  async drift(tenantId: string, { model, dimensions }: EmbeddingSpace): Promise<Drift> {
    await breath();
    return lookAt(this.#fileOf(tenantId), (db) => ({
      entries: countIn(db, COUNT_ENTRIES),
      withoutVector: countIn(db, COUNT_WITHOUT_VECTOR, model, dimensions),
      withoutWords: countIn(db, COUNT_WITHOUT_WORDS),
      strayVectors: countIn(db, COUNT_STRAY_VECTORS),
      strayWords: countIn(db, COUNT_STRAY_WORDS),
    }));
  }

  async contents(tenantId: string, after: number, limit: number): Promise<StoredContent[]> {
    await breath();
    return lookAt(this.#fileOf(tenantId), (db) =>
      db.prepare<[number, number], StoredContent>(SELECT_CONTENTS).all(after, limit),
    );
  }

  async dataKeys(tenantId: string): Promise<StoredKey[]> {
    return lookAt(this.#fileOf(tenantId), (db) => {
      if (!hasTable(db, 'data_keys')) return [];
      return (db.prepare(`SELECT ${KEY_COLUMNS} FROM data_keys`).all() as KeyRow[]).map(keyOf);
    });
  }

  async unsealed(tenantId: string): Promise<number> {
    await breath();
    return lookAt(this.#fileOf(tenantId), (db) => countIn(db, COUNT_UNSEALED));
  }

  async expiredKeys(tenantId: string, at: number): Promise<number> {
    return lookAt(this.#fileOf(tenantId), (db) => countIn(db, COUNT_EXPIRED_KEYS, at));
  }

  async failedRuns(tenantId: string, since: number): Promise<number> {
    return lookAt(this.#fileOf(tenantId), (db) => countIn(db, COUNT_FAILED_RUNS, since));
  }

  async audit(tenantId: string | undefined, limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    await breath();
    if (tenantId === undefined && !isThere(this.#system)) return [];
    return lookAt(tenantId === undefined ? this.#system : this.#fileOf(tenantId), (db) => {
      if (!hasTable(db, 'audit_log_chain')) return [];
      const sql = `SELECT ${tenantId === undefined ? 'tenant_hash' : '?'} AS tenantHash, ${AUDIT_COLUMNS} FROM audit_log ${IN_CHAIN}`;
      const values = [...(tenantId === undefined ? [] : [tenantId]), after.sequence, after.id, limit];
      const rows = db.prepare<unknown[], BeyondRow>(sql).all(...values);
      return rows.map((row) => ({ log: row.tenantHash, entry: auditEntryOf(row) }));
    });
  }

  /** Whoever leads keeps everyone else from reading the file. */
  async isLed(): Promise<boolean> {
    const file = join(this.#folder, 'leader.db');
    if (!isThere(file)) return false;
    const db = new Sqlite(file, { readonly: true, timeout: 0 });
    try {
      db.prepare('SELECT 1 FROM sqlite_schema').get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      db.close();
    }
  }

  async close(): Promise<void> {}

  get #system(): string {
    return join(this.#folder, 'system.db');
  }

  #fileOf(tenantId: string): string {
    return join(this.#folder, 'tenants', `${tenantId}.db`);
  }

  #tenantFiles(): string[] {
    return namesIn(join(this.#folder, 'tenants'))
      .filter((name) => FILE_NAME.test(name))
      .toSorted();
  }

  #files(): string[] {
    const tenants = this.#tenantFiles().map((name) => join(this.#folder, 'tenants', name));
    return [...(isThere(this.#system) ? [this.#system] : []), ...tenants];
  }

  #shown(file: string): string {
    return relative(this.#folder, file);
  }

  #gapIn(file: string, migrations: readonly Migration[]): SchemaGap[] {
    const where = this.#shown(file);
    try {
      const missing = lookAt(file, (db) =>
        pendingMigrations(migrations, hasTable(db, 'schema_migrations') ? appliedTo(db) : []).map(({ name }) => name),
      );
      return missing.length === 0 ? [] : [{ where, missing }];
    } catch (error) {
      // That a file cannot be read is damage, which is looked for elsewhere.
      return error instanceof LaminaError ? [{ where, missing: [], problem: error.message }] : [];
    }
  }

  #damageIn(file: string, isThorough: boolean): string[] {
    try {
      return lookAt(file, (db) => [...told(db, isThorough), ...(isThorough ? orphans(db) : [])]);
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }
}

function told(db: Database, isThorough: boolean): string[] {
  const pragma = `${isThorough ? 'integrity_check' : 'quick_check'}(${MAX_DAMAGES})`;
  const rows = db.pragma(pragma) as Record<string, string>[];
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok');
}

function orphans(db: Database): string[] {
  const rows = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  const tables = new Set(
    rows.map(({ table, parent }) => `rows of ${table} refer to rows of ${parent} that are not there`),
  );
  return [...tables].slice(0, MAX_DAMAGES);
}

/** SQLite holds up everything else while it works: between two files others have their turn. */
function breath(): Promise<void> {
  return new Promise((resume) => {
    setImmediate(resume);
  });
}
