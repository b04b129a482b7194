/** PostgreSQL with pgvector as an engine: on a server, or in this process by PGlite. */

import { LaminaError } from '../../domain/error.ts';
import type { Layer } from '../../domain/scope.ts';
import type { Engine } from '../../ports/engine.ts';
import type { EngineLoad } from '../../ports/telemetry.ts';
import { sealedElsewhere } from '../sql/key-row.ts';
import { PostgresArchive } from './postgres-archive.ts';
import { PostgresAuditLog } from './postgres-audit-log.ts';
import { MAY_TAKE_ON, PostgresDatabase, SERVICE_ROLE, type PostgresDatabaseOptions } from './postgres-database.ts';
import type { PostgresDriver } from './postgres-driver.ts';
import { PostgresEntries } from './postgres-entries.ts';
import { PostgresErasure } from './postgres-erasure.ts';
import { translated } from './postgres-error.ts';
import { PostgresEventLog } from './postgres-event-log.ts';
import { PostgresFacts } from './postgres-facts.ts';
import { PostgresInspector } from './postgres-inspector.ts';
import { hasDataKeys, PostgresKeyStore } from './postgres-key-store.ts';
import { PostgresLeadership } from './postgres-leadership.ts';
import { postgresRecordStores } from './postgres-record-store.ts';
import { PostgresResealing } from './postgres-resealing.ts';
import { PostgresSpaceStore } from './postgres-space-store.ts';
import { PostgresSpaces } from './postgres-spaces.ts';
import { PostgresStateStore } from './postgres-state-store.ts';
import { PostgresUpkeep } from './postgres-upkeep.ts';

export interface PostgresEngineOptions extends PostgresDatabaseOptions {
  /** Whether searches may be answered from what those before have read. Default true. */
  readonly remembersSearches?: boolean | undefined;
}

const SELECT_VECTOR_SCHEMA = `
  SELECT n.nspname AS schema FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector'`;

export const SELECT_SERVICE_ROLE = `
  SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (
           SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = 'lamina' AND pg_has_role(r.oid, c.relowner, 'MEMBER')) AS "mayBypass",
         pg_has_role(current_user, r.oid, ${MAY_TAKE_ON}) AS "isMember"
  FROM pg_roles r WHERE r.rolname = '${SERVICE_ROLE}'`;

export class PostgresEngine implements Engine {
  readonly name = 'postgres';
  readonly entries: Engine['entries'];
  readonly state: Engine['state'];
  readonly records: Engine['records'];
  readonly facts: Engine['facts'];
  readonly audit: Engine['audit'];
  readonly erasure: Engine['erasure'];
  readonly archive: Engine['archive'];
  readonly upkeep: Engine['upkeep'];
  readonly spaces: Engine['spaces'];
  readonly inspector: Engine['inspector'];
  readonly keys: Engine['keys'];
  readonly resealing: Engine['resealing'];
  readonly events: PostgresEventLog;
  readonly leadership: PostgresLeadership;
  readonly #database: PostgresDatabase;
  readonly #driver: PostgresDriver;
  readonly #refusesSealed: boolean;
  readonly #entries: PostgresEntries;
  readonly #state: PostgresStateStore;

  private constructor(database: PostgresDatabase, options: PostgresEngineOptions, vectorSchema: string) {
    const { driver, clock, refusesSealed = false, remembersSearches } = options;
    this.#database = database;
    this.#refusesSealed = refusesSealed;
    this.#driver = driver;
    this.events = new PostgresEventLog(database, driver);
    this.leadership = new PostgresLeadership(driver);
    const committed = (tenantId: string): void => this.events.note(tenantId);
    const spaces = new PostgresSpaces(database);
    this.spaces = new PostgresSpaceStore(database, spaces, vectorSchema);
    this.#entries = new PostgresEntries(database, clock, vectorSchema, committed, spaces, remembersSearches);
    this.entries = this.#entries;
    this.#state = new PostgresStateStore(database, clock, committed);
    this.state = this.#state;
    this.upkeep = new PostgresUpkeep(database, this.events);
    this.inspector = new PostgresInspector(database);
    this.keys = new PostgresKeyStore(database, clock);
    this.resealing = new PostgresResealing(database, vectorSchema);
    this.records = postgresRecordStores(database, clock);
    this.facts = new PostgresFacts(database, clock);
    this.audit = new PostgresAuditLog(database);
    this.erasure = new PostgresErasure(database, clock);
    this.archive = new PostgresArchive(database, clock, vectorSchema);
  }

  /** On a database that has been migrated. Throws `CONFIGURATION_ERROR` when the database would not keep users apart. */
  static async open(options: PostgresEngineOptions): Promise<PostgresEngine> {
    const database = new PostgresDatabase(options);
    const engine = new PostgresEngine(database, options, await vectorSchemaOf(options.driver));
    if (options.refusesSealed === true) await assertUnsealed(database);
    return engine;
  }

  size(): Promise<Partial<Record<Layer, number>>> {
    return this.#entries.size();
  }

  load(): EngineLoad {
    const connections = this.#driver.load?.();
    const pendingTouches = this.#entries.pendingTouches + this.#state.pendingTouches;
    return { pendingTouches, ...(connections && { connections }) };
  }

  async check(): Promise<string | undefined> {
    const trouble = (await this.#database.check()) ?? (await this.events.trouble());
    if (this.#refusesSealed) await assertUnsealed(this.#database);
    return trouble;
  }

  async close(): Promise<void> {
    await this.leadership.close();
    await this.#entries.flush();
    await this.#state.flush();
    await this.events.flush();
    await this.#database.close();
    this.events.close();
  }
}

/** Also makes sure that the role which the service takes on is one that row-level security binds. */
async function vectorSchemaOf(driver: PostgresDriver): Promise<string> {
  try {
    const connection = await driver.reserve();
    try {
      const {
        rows: [role],
      } = await connection.query<{ mayBypass: boolean; isMember: boolean }>(SELECT_SERVICE_ROLE);
      if (role === undefined || !role.isMember) {
        throw new LaminaError(
          'CONFIGURATION_ERROR',
          `The database role that Lamina connects as must be a member of ${SERVICE_ROLE} that may take it on. See docs/postgres.md.`,
        );
      }
      if (role.mayBypass) {
        throw new LaminaError(
          'CONFIGURATION_ERROR',
          `The role ${SERVICE_ROLE} could get around row-level security: it must be no superuser, have no BYPASSRLS, own nothing and be no member of who does.`,
        );
      }
      const {
        rows: [extension],
      } = await connection.query<{ schema: string }>(SELECT_VECTOR_SCHEMA);
      if (extension === undefined)
        throw new LaminaError('CONFIGURATION_ERROR', 'The database lacks the extension "vector".');
      return extension.schema;
    } finally {
      connection.release();
    }
  } catch (error) {
    throw translated(error);
  }
}

async function assertUnsealed(database: PostgresDatabase): Promise<void> {
  if (await hasDataKeys(database)) throw sealedElsewhere();
}
