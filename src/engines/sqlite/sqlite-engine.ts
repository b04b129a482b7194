/** The embedded engine: a folder with one SQLite file per tenant. */

import type { Layer } from '../../domain/scope.ts';
import type { Engine } from '../../ports/engine.ts';
import type { EngineLoad } from '../../ports/telemetry.ts';
import { SqliteArchive } from './sqlite-archive.ts';
import { SqliteAuditLog } from './sqlite-audit-log.ts';
import { SqliteEntries } from './sqlite-entries.ts';
import { SqliteErasure } from './sqlite-erasure.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';
import { SqliteFacts } from './sqlite-facts.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteInspector } from './sqlite-inspector.ts';
import { SqliteLeadership } from './sqlite-leadership.ts';
import { sqliteRecordStores } from './sqlite-record-store.ts';
import { SqliteResealing } from './sqlite-resealing.ts';
import { SqliteSpaces } from './sqlite-spaces.ts';
import { SqliteStateStore } from './sqlite-state-store.ts';
import { SqliteSystem } from './sqlite-system.ts';
import { SqliteUpkeep } from './sqlite-upkeep.ts';
import { SqliteTenants, type SqliteTenantsOptions } from './sqlite-tenants.ts';

export class SqliteEngine implements Engine {
  readonly name = 'sqlite';
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
  readonly events: SqliteEventLog;
  readonly leadership: SqliteLeadership;
  readonly #tenants: SqliteTenants;
  readonly #system: SqliteSystem;

  /** Throws `CONFIGURATION_ERROR` when the folder cannot be made. Opens no file yet. */
  constructor(options: SqliteTenantsOptions) {
    this.#tenants = new SqliteTenants(options);
    this.events = new SqliteEventLog(this.#tenants);
    this.leadership = new SqliteLeadership(options.folder);
    this.#system = new SqliteSystem(options.folder, options.clock);
    const spaces = new SqliteSpaces(this.#tenants, this.#system, () => options.clock.now());
    this.spaces = spaces;
    this.entries = new SqliteEntries(this.#tenants, spaces, (tenantId) => this.events.note(tenantId));
    this.state = new SqliteStateStore(this.#tenants, (tenantId) => this.events.note(tenantId));
    this.upkeep = new SqliteUpkeep(this.#tenants, this.events);
    this.inspector = new SqliteInspector(this.#tenants);
    this.keys = new SqliteKeyStore(this.#tenants);
    this.resealing = new SqliteResealing(this.#tenants, options.clock);
    this.records = sqliteRecordStores(this.#tenants);
    this.facts = new SqliteFacts(this.#tenants);
    const audit = new SqliteAuditLog(this.#tenants, this.#system);
    this.audit = audit;
    this.erasure = new SqliteErasure(this.#tenants, audit, options.clock);
    this.archive = new SqliteArchive(this.#tenants, this.#system, options.clock);
  }

  async size(): Promise<Partial<Record<Layer, number>>> {
    return this.#tenants.size();
  }

  load(): EngineLoad {
    return this.#tenants.load();
  }

  check(): Promise<string | undefined> {
    return this.#tenants.check();
  }

  async close(): Promise<void> {
    await this.leadership.close();
    await this.#tenants.close();
    this.#system.close();
    this.events.close();
  }
}
