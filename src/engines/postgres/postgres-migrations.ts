/** Brings a database up to date: as its owner, one process at a time, each migration once. */

import { LaminaError } from '../../domain/error.ts';
import { pendingMigrations, readMigrations, type AppliedMigration, type Migration } from '../sql/migrations.ts';
import { MAY_TAKE_ON, SERVICE_ROLE } from './postgres-database.ts';
import type { PostgresConnection, PostgresDriver } from './postgres-driver.ts';
import { codeOf, isDenied, translated } from './postgres-error.ts';
import { shutOut } from './postgres-login.ts';

/** Any number that nobody else is likely to lock. */
const LOCK = 0x1a_31_4a;

const MIN_SERVER_VERSION = 150_000;

const SELECT_LEDGER = "SELECT to_regclass('lamina.schema_migrations') IS NOT NULL AS exists";
const SELECT_APPLIED =
  'SELECT number, checksum, is_breaking AS "isBreaking" FROM lamina.schema_migrations ORDER BY number';
const RECORD = 'INSERT INTO lamina.schema_migrations VALUES ($1, $2, $3, $4, $5)';

// The service takes this role on in every transaction; whoever connects has to be a member of it that may do so, which
// since PostgreSQL 16 who made a role is not by that alone. Several databases of one server may be set up at once, and
// roles are the server's.
const CREATE_ROLE = `
  DO $$
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${SERVICE_ROLE}') THEN
      CREATE ROLE ${SERVICE_ROLE} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  DO $$
  BEGIN
    IF NOT pg_has_role(current_user, '${SERVICE_ROLE}', ${MAY_TAKE_ON}) THEN
      EXECUTE format('GRANT ${SERVICE_ROLE} TO %I', current_user);
    END IF;
  END $$;`;

/** A migration, and the wait for whoever else migrates, take as long as they take, whatever the server bounds others by. */
const LIFT_TIMEOUTS = `
  SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
         set_config('idle_in_transaction_session_timeout', '0', true)`;

const CREATE_EXTENSION = 'CREATE EXTENSION IF NOT EXISTS vector';

const CREATE_LEDGER = `
  CREATE SCHEMA IF NOT EXISTS lamina;
  CREATE TABLE IF NOT EXISTS lamina.schema_migrations (
    number      integer PRIMARY KEY,
    name        text    NOT NULL,
    checksum    text    NOT NULL,
    is_breaking boolean NOT NULL,
    applied_at  bigint  NOT NULL
  );
  ALTER TABLE lamina.schema_migrations ENABLE ROW LEVEL SECURITY;
  ALTER TABLE lamina.schema_migrations FORCE ROW LEVEL SECURITY;
  DO $$
  BEGIN
    CREATE POLICY read ON lamina.schema_migrations FOR SELECT USING (true);
    CREATE POLICY owner ON lamina.schema_migrations TO CURRENT_USER USING (true) WITH CHECK (true);
  EXCEPTION WHEN duplicate_object THEN NULL;
  END $$;`;

export interface MigrationReport {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** The number of the last one that the database has. */
  readonly version: number;
}

export interface MigrateOptions {
  readonly now: number;
  /** Default: those of this package. */
  readonly migrations?: readonly Migration[];
}

/** Throws `CONFIGURATION_ERROR` when the database cannot be used for Lamina, `UNAVAILABLE` when it cannot be reached. */
export async function migratePostgres(driver: PostgresDriver, options: MigrateOptions): Promise<MigrationReport> {
  const migrations = options.migrations ?? readMigrations('postgres');
  return onConnection(driver, async (connection) => {
    await assertServer(connection);
    // Most starts find nothing to do, and need no lock and no privilege to see that.
    const pending = pendingMigrations(migrations, await appliedTo(connection));
    if (pending.length === 0) return { applied: [], version: latest(migrations) };
    return inTransaction(connection, async () => {
      await connection.query(LIFT_TIMEOUTS);
      await connection.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
      await prepare(connection);
      // Another process may have done it while this one waited.
      const left = pendingMigrations(migrations, await appliedTo(connection));
      for (const { number, name, sql, checksum, isBreaking } of left) {
        await connection.query(sql);
        await connection.query(RECORD, [number, name, checksum, isBreaking, options.now]);
      }
      return { applied: left.map(({ name }) => name), version: latest(migrations) };
    });
  });
}

/** Throws `CONFIGURATION_ERROR` when migrations are to be applied first. */
export async function assertMigrated(driver: PostgresDriver, migrations = readMigrations('postgres')): Promise<void> {
  const pending = await onConnection(driver, async (connection) =>
    pendingMigrations(migrations, await appliedTo(connection)),
  );
  if (pending.length === 0) return;
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `The database lacks ${pending.length} migrations (the next is ${pending[0]?.name}). Run: lamina migrate`,
  );
}

function latest(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}

/** Throws `CONFIGURATION_ERROR` for a role that may not look. */
export async function appliedTo(connection: PostgresConnection): Promise<AppliedMigration[]> {
  try {
    const {
      rows: [ledger],
    } = await connection.query<{ exists: boolean }>(SELECT_LEDGER);
    if (ledger?.exists !== true) return [];
    return (await connection.query<AppliedMigration>(SELECT_APPLIED)).rows;
  } catch (error) {
    if (!isDenied(error)) throw error;
    const { rows } = await connection.query<{ role: string }>('SELECT current_user AS role');
    throw shutOut(rows[0]?.role ?? '', error);
  }
}

async function assertServer(connection: PostgresConnection): Promise<void> {
  const {
    rows: [row],
  } = await connection.query<{ version: number }>("SELECT current_setting('server_version_num')::int AS version");
  if ((row?.version ?? 0) >= MIN_SERVER_VERSION) return;
  throw new LaminaError('CONFIGURATION_ERROR', 'Lamina needs PostgreSQL 15 or newer.');
}

async function prepare(connection: PostgresConnection): Promise<void> {
  await explained(connection.query(CREATE_ROLE), `create the role ${SERVICE_ROLE} and be granted it`);
  await explained(connection.query(CREATE_EXTENSION), 'install the extension "vector" (pgvector)');
  await explained(connection.query(CREATE_LEDGER), 'create the schema "lamina"');
  // The types of the extension, wherever it was installed.
  await connection.query(`
    SELECT set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
    FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector'`);
}

/** A step that often fails for want of a privilege says which. */
async function explained(step: Promise<unknown>, what: string): Promise<void> {
  try {
    await step;
  } catch (cause) {
    if (!/^(42|0A|58|22023)/.test(codeOf(cause))) throw cause;
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      `The database role that migrates could not ${what}. Let an administrator do it once; see docs/postgres.md.`,
      { cause },
    );
  }
}

async function inTransaction<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  await connection.query('BEGIN');
  try {
    const value = await work();
    await connection.query('COMMIT');
    return value;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function onConnection<T>(
  driver: PostgresDriver,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  try {
    const connection = await driver.reserve();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  } catch (error) {
    throw translated(error);
  }
}
