/** Looks at a PostgreSQL database without changing it: how it is set up, what it lacks, and who could see too much. */

import type { LoggedEntry } from '../../domain/audit-chain.ts';
import { LaminaError } from '../../domain/error.ts';
import type { ChainPosition } from '../../ports/audit-log.ts';
import type { Checkup, Damage, Drift, SchemaGap, StoredContent } from '../../ports/checkup.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { StoredKey } from '../../ports/key-store.ts';
import type { SpacesInUse } from '../../ports/space-store.ts';
import { pendingMigrations, readMigrations } from '../sql/migrations.ts';
import { PostgresAuditLog } from './postgres-audit-log.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { PostgresDriver } from './postgres-driver.ts';
import { SELECT_SERVICE_ROLE } from './postgres-engine.ts';
import { translated } from './postgres-error.ts';
import { dataKeysOf } from './postgres-key-store.ts';
import { LEADER_LOCK } from './postgres-leadership.ts';
import { LOGIN_COLUMNS, shutOut, type PostgresLogin } from './postgres-login.ts';
import { appliedTo } from './postgres-migrations.ts';

const SELECT_SERVER = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
         (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS "vectorVersion",
         current_setting('max_parallel_maintenance_workers')::int AS "parallelWorkers",
         current_setting('max_connections')::int AS "maxConnections",
         current_setting('fsync') = 'on' AS "isFlushed", current_setting('full_page_writes') = 'on' AS "writesFullPages",
         current_setting('synchronous_commit') AS "synchronousCommit",
         EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'lamina' AND NOT has_schema_privilege(oid, 'USAGE')) AS "isShutOut",
         ${LOGIN_COLUMNS}`;

const SELECT_UNFORCED = `
  SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'lamina' AND c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1`;

const SELECT_TABLE = 'SELECT to_regclass($1) IS NOT NULL AS exists';
const SELECT_NOW = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
const SELECT_TENANTS = 'SELECT id FROM lamina.tenants ORDER BY id';
const SELECT_SPACES = 'SELECT u.state FROM lamina.spaces_in_use u';
const SELECT_KNOWN_SPACES = 'SELECT s.id, s.model, s.dimensions FROM lamina.embedding_spaces s';
const SELECT_IS_FILLED =
  'SELECT EXISTS (SELECT 1 FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.space_id = $2::int) AS "isFilled"';

const SELECT_INVALID = `
  SELECT c.relname AS where, 'the index is not valid and is not used' AS what
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'lamina' AND NOT (i.indisvalid AND i.indisready)
  UNION ALL
  SELECT c.conrelid::regclass::text, 'the constraint ' || c.conname || ' was not validated'
  FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = 'lamina' AND NOT c.convalidated
  UNION ALL
  SELECT d.datname, d.checksum_failures || ' pages failed their checksum'
  FROM pg_stat_database d WHERE d.datname = current_database() AND d.checksum_failures > 0`;

const SPACE = '(SELECT s.id FROM lamina.embedding_spaces s WHERE s.model = $2 AND s.dimensions = $3::int)';
const SELECT_DRIFT = `
  SELECT (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = $1) AS entries,
    (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = $1 AND NOT EXISTS (
       SELECT 1 FROM lamina.embeddings v WHERE v.tenant_id = $1 AND v.seq = e.seq AND v.space_id = ${SPACE})) AS "withoutVector",
    (SELECT count(*) FROM lamina.embeddings v WHERE v.tenant_id = $1 AND NOT EXISTS (
       SELECT 1 FROM lamina.entries e WHERE e.tenant_id = $1 AND e.seq = v.seq)) AS "strayVectors",
    (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = $1 AND e.lexemes <> '' AND NOT EXISTS (
       SELECT 1 FROM lamina.entry_words w WHERE w.tenant_id = $1 AND w.seq = e.seq)) AS "withoutWords",
    (SELECT count(DISTINCT w.seq) FROM lamina.entry_words w WHERE w.tenant_id = $1 AND NOT EXISTS (
       SELECT 1 FROM lamina.entries e WHERE e.tenant_id = $1 AND e.seq = w.seq)) AS "strayWords"`;

const SELECT_CONTENTS = `
  SELECT e.seq, e.id, e.content, e.content_hash AS "contentHash" FROM lamina.entries e
  WHERE e.tenant_id = $1 AND e.seq > $2::bigint ORDER BY e.seq LIMIT $3::bigint`;
const COUNT_UNSEALED = `
  SELECT (SELECT count(*) FROM lamina.entries e WHERE e.tenant_id = $1 AND e.content NOT LIKE 'lam1:%')
    + (SELECT count(*) FROM lamina.state s WHERE s.tenant_id = $1 AND s.value::text NOT LIKE '"lam1:%')
    + (SELECT count(*) FROM lamina.facts f WHERE f.tenant_id = $1 AND coalesce(f.metadata ->> 'sealed', '') NOT LIKE 'lam1:%')
    AS count`;
const COUNT_EXPIRED_KEYS =
  'SELECT count(*) AS count FROM lamina.api_keys k WHERE k.tenant_id = $1 AND k.revoked_at IS NULL AND k.expires_at <= $2::bigint';
const COUNT_FAILED_RUNS = `
  SELECT count(*) AS count FROM lamina.maintenance_runs r
  WHERE r.tenant_id = $1 AND r.status = 'failed' AND r.started_at >= $2::bigint`;

const SELECT_BACKEND = 'SELECT pg_backend_pid() AS pid';

// The lock is one number of 64 bits, which the view has in two halves.
const SELECT_LED = `
  SELECT EXISTS (
    SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (l.classid::bigint << 32 | l.objid::bigint) = ${LEADER_LOCK}) AS "isLed"`;

export interface PostgresServer extends PostgresLogin {
  readonly version: string;
  readonly versionNumber: number;
  /** Null where pgvector is not installed. */
  readonly vectorVersion: string | null;
  readonly parallelWorkers: number;
  readonly maxConnections: number;
  readonly isFlushed: boolean;
  readonly writesFullPages: boolean;
  readonly synchronousCommit: string;
  /** Whether there is a schema that the role may not look into. */
  readonly isShutOut: boolean;
}

export interface PostgresGuard {
  /** Undefined where there is no such role yet. */
  readonly serviceRole: { readonly mayBypass: boolean; readonly isMember: boolean } | undefined;
  /** Tables whose rows are not guarded from everybody. */
  readonly unforced: readonly string[];
}

export interface PostgresCheckupOptions {
  readonly driver: PostgresDriver;
  readonly clock: Clock;
  /** Milliseconds that the database has for a statement. */
  readonly statementTimeoutMs: number;
}

const ADMINISTRATION = 'administration';

export class PostgresCheckup implements Checkup {
  readonly #driver: PostgresDriver;
  readonly #database: PostgresDatabase;

  /** Closes the driver with it. */
  constructor(options: PostgresCheckupOptions) {
    this.#driver = options.driver;
    this.#database = new PostgresDatabase(options);
  }

  async reach(): Promise<string> {
    const { version, role, isShutOut } = await this.server();
    if (isShutOut) throw shutOut(role);
    return `PostgreSQL ${version}`;
  }

  async server(): Promise<PostgresServer> {
    const [row] = await this.#ask<PostgresServer>(SELECT_SERVER);
    if (row === undefined) throw new LaminaError('UNAVAILABLE', 'The database gave no answer.');
    return row;
  }

  async guard(): Promise<PostgresGuard> {
    const [serviceRole] = await this.#ask<NonNullable<PostgresGuard['serviceRole']>>(SELECT_SERVICE_ROLE);
    const unforced = await this.#ask<{ name: string }>(SELECT_UNFORCED);
    return { serviceRole, unforced: unforced.map(({ name }) => name) };
  }

  async now(): Promise<number | undefined> {
    return (await this.#ask<{ now: number }>(SELECT_NOW))[0]?.now;
  }

  async schema(): Promise<SchemaGap[]> {
    const connection = await this.#driver.reserve();
    try {
      const missing = pendingMigrations(readMigrations('postgres'), await appliedTo(connection));
      return missing.length === 0 ? [] : [{ missing: missing.map(({ name }) => name) }];
    } catch (error) {
      if (error instanceof LaminaError) return [{ missing: [], problem: error.message }];
      throw translated(error);
    } finally {
      connection.release();
    }
  }

  async tenants(): Promise<string[]> {
    if (!(await this.#has('tenants'))) return [];
    const rows = await this.#database.read<{ id: string }>({ purpose: 'directory' }, SELECT_TENANTS);
    return rows.map(({ id }) => id);
  }

  async spaces(): Promise<SpacesInUse | undefined> {
    if (!(await this.#has('spaces_in_use'))) return undefined;
    return (await this.#database.read<{ state: SpacesInUse }>({}, SELECT_SPACES))[0]?.state;
  }

  async filledSpaces(): Promise<EmbeddingSpace[]> {
    if (!(await this.#has('embedding_spaces'))) return [];
    const known = await this.#database.read<EmbeddingSpace & { id: number }>({}, SELECT_KNOWN_SPACES);
    const filled: EmbeddingSpace[] = [];
    const tenants = await this.tenants();
    for (const { id, model, dimensions } of known) {
      if (await this.#isFilled(id, tenants)) filled.push({ model, dimensions });
    }
    return filled;
  }

  async damage(): Promise<Damage[]> {
    return this.#ask<Damage>(SELECT_INVALID);
  }

  async drift(tenantId: string, { model, dimensions }: EmbeddingSpace): Promise<Drift> {
    const context = { tenantId, purpose: ADMINISTRATION } as const;
    const [row] = await this.#database.read<Drift>(context, SELECT_DRIFT, [tenantId, model, dimensions]);
    return row ?? { entries: 0, withoutVector: 0, withoutWords: 0, strayVectors: 0, strayWords: 0 };
  }

  contents(tenantId: string, after: number, limit: number): Promise<StoredContent[]> {
    const context = { tenantId, purpose: ADMINISTRATION } as const;
    return this.#database.read<StoredContent>(context, SELECT_CONTENTS, [tenantId, after, limit]);
  }

  async dataKeys(tenantId: string): Promise<readonly StoredKey[]> {
    if (!(await this.#has('data_keys'))) return [];
    return dataKeysOf(this.#database, tenantId);
  }

  async unsealed(tenantId: string): Promise<number> {
    const context = { tenantId, purpose: ADMINISTRATION } as const;
    const [row] = await this.#database.read<{ count: number }>(context, COUNT_UNSEALED, [tenantId]);
    return row?.count ?? 0;
  }

  expiredKeys(tenantId: string, at: number): Promise<number> {
    return this.#count(tenantId, COUNT_EXPIRED_KEYS, at);
  }

  failedRuns(tenantId: string, since: number): Promise<number> {
    return this.#count(tenantId, COUNT_FAILED_RUNS, since);
  }

  async audit(tenantId: string | undefined, limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    if (!(await this.#has('audit_log_chain'))) return [];
    const log = new PostgresAuditLog(this.#database);
    return tenantId === undefined ? log.chainBeyond(limit, after) : log.chain({ tenantId, userId: '' }, limit, after);
  }

  /** Whether a pooler gives two connections turns on one session. */
  async isPooled(): Promise<boolean> {
    const [one, other] = [await this.#driver.reserve(), await this.#driver.reserve()];
    try {
      const [first] = (await one.query<{ pid: number }>(SELECT_BACKEND)).rows;
      const [second] = (await other.query<{ pid: number }>(SELECT_BACKEND)).rows;
      return first !== undefined && first.pid === second?.pid;
    } catch (error) {
      throw translated(error);
    } finally {
      one.release();
      other.release();
    }
  }

  /** Throws where a session beside the pool cannot be had. */
  async reachDirectly(): Promise<void> {
    try {
      (await this.#driver.dedicate(() => {})).release();
    } catch (error) {
      throw translated(error);
    }
  }

  async isLed(): Promise<boolean> {
    return (await this.#ask<{ isLed: boolean }>(SELECT_LED))[0]?.isLed === true;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #count(tenantId: string, sql: string, at: number): Promise<number> {
    const context = { tenantId, purpose: ADMINISTRATION } as const;
    const [row] = await this.#database.read<{ count: number }>(context, sql, [tenantId, at]);
    return row?.count ?? 0;
  }

  async #isFilled(spaceId: number, tenants: readonly string[]): Promise<boolean> {
    for (const tenantId of tenants) {
      const context = { tenantId, purpose: ADMINISTRATION } as const;
      const [row] = await this.#database.read<{ isFilled: boolean }>(context, SELECT_IS_FILLED, [tenantId, spaceId]);
      if (row?.isFilled) return true;
    }
    return false;
  }

  async #has(table: string): Promise<boolean> {
    return (await this.#ask<{ exists: boolean }>(SELECT_TABLE, [`lamina.${table}`]))[0]?.exists === true;
  }

  /** As whoever is connected, and not in the role of the service, which need not be there. */
  async #ask<R>(sql: string, values: readonly string[] = []): Promise<R[]> {
    try {
      const connection = await this.#driver.reserve();
      try {
        return (await connection.query<R>(sql, values)).rows;
      } finally {
        connection.release();
      }
    } catch (error) {
      throw translated(error);
    }
  }
}
