/** SQLite as an archive: the tenants are the files in the folder. Reading a page disturbs nobody who writes. */

import { NOTHING_TALLIED, type Collection, type Tallies, type Tally } from '../../domain/archive.ts';
import type { Archive, Archived, ArchivedErasure, ArchivePage, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  API_KEYS,
  CONTEXT_ACCESSES,
  CONTEXT_SNAPSHOTS,
  CONTEXTS,
  MAINTENANCE_RUNS,
  PLAN_CONTEXTS,
  PLANS,
  POOLS,
  SESSIONS,
  TASK_CONTEXTS,
} from '../sql/record-tables.ts';
import {
  ARCHIVED_AUDIT,
  ARCHIVED_STATE,
  ARCHIVED_USERS,
  archivedRecords,
  type SqliteCollection,
} from './sqlite-archive-collections.ts';
import { archivedEntries, ARCHIVED_VERSIONS } from './sqlite-archive-entries.ts';
import { ARCHIVED_FACTS } from './sqlite-fact-archive.ts';
import { archivePage } from '../sql/archive-page.ts';
import { TALLIED_TABLES } from '../sql/archive-tables.ts';
import { restoreBeyond, selectBeyond, IN_CHAIN } from './sqlite-audit-log.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteSystem } from './sqlite-system.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const LATEST_VERSION = 'SELECT max((SELECT version FROM state_clock), (SELECT version FROM record_clock)) AS version';
const ADVANCE_CLOCKS = ['state_clock', 'record_clock'].map((clock) => `UPDATE ${clock} SET version = max(version, ?)`);

type Collections = { readonly [C in Collection]: SqliteCollection<Archived[C]> };

export class SqliteArchive implements Archive {
  readonly #tenants: SqliteTenants;
  readonly #system: SqliteSystem;
  readonly #clock: Clock;
  readonly #collections: Collections;

  constructor(tenants: SqliteTenants, system: SqliteSystem, clock: Clock) {
    this.#tenants = tenants;
    this.#system = system;
    this.#clock = clock;
    this.#collections = {
      users: ARCHIVED_USERS,
      entries: archivedEntries(clock),
      versions: ARCHIVED_VERSIONS,
      state: ARCHIVED_STATE,
      plans: archivedRecords(PLANS),
      planContexts: archivedRecords(PLAN_CONTEXTS),
      sessions: archivedRecords(SESSIONS),
      taskContexts: archivedRecords(TASK_CONTEXTS),
      apiKeys: archivedRecords(API_KEYS),
      pools: archivedRecords(POOLS),
      contexts: archivedRecords(CONTEXTS),
      contextSnapshots: archivedRecords(CONTEXT_SNAPSHOTS),
      contextAccesses: archivedRecords(CONTEXT_ACCESSES),
      maintenanceRuns: archivedRecords(MAINTENANCE_RUNS),
      facts: ARCHIVED_FACTS,
      auditEntries: ARCHIVED_AUDIT,
    };
  }

  async tenants(limit: number, after = ''): Promise<string[]> {
    const ids = this.#tenants.ids().filter((id) => id > after);
    return ids.slice(0, limit);
  }

  tallies(tenantId: string, at: number): Promise<Tallies> {
    return this.#read(tenantId, NOTHING_TALLIED, (connection) => talliesOf(connection, at));
  }

  read<C extends Collection>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place = [],
  ): Promise<ArchivePage<Archived[C]>> {
    const nothing: ArchivePage<Archived[C]> = { items: [], last: undefined };
    const { read }: SqliteCollection<Archived[C]> = this.#collections[collection];
    return this.#read(tenantId, nothing, (connection) => read(connection, limit, after, this.#clock.now()));
  }

  end(tenantId: string, collection: Collection): Promise<Place | undefined> {
    return this.#read(tenantId, undefined, (connection) => this.#collections[collection].end(connection));
  }

  write<C extends Collection>(tenantId: string, collection: C, items: readonly Archived[C][]): Promise<void> {
    const { write }: SqliteCollection<Archived[C]> = this.#collections[collection];
    return this.#tenants.use(tenantId, (tenant) =>
      tenant.write(
        (connection) => write(connection, items, tenantId),
        () => tenant.state.forget(),
      ),
    );
  }

  latestVersion(tenantId: string): Promise<number> {
    return this.#read(tenantId, 0, (connection) => connection.first<{ version: number }>(LATEST_VERSION)?.version ?? 0);
  }

  advanceVersions(tenantId: string, version: number): Promise<void> {
    return this.#tenants.use(tenantId, (tenant) =>
      tenant.write((connection) => {
        for (const sql of ADVANCE_CLOCKS) connection.run(sql, version);
      }),
    );
  }

  readErasures(limit: number, [sequence = 0, id = '']: Place = []): Promise<ArchivePage<ArchivedErasure>> {
    return this.#system.read<ArchivePage<ArchivedErasure>>(
      (connection) => {
        const rows = selectBeyond(connection, IN_CHAIN, sequence, id, limit);
        const items = rows.map(({ log, entry }) => ({ tenantHash: log, entry }));
        return archivePage(items, ({ entry }) => [entry.sequence ?? 0, entry.id]);
      },
      () => ({ items: [], last: undefined }),
    );
  }

  writeErasures(items: readonly ArchivedErasure[]): Promise<void> {
    const logged = items.map(({ tenantHash, entry }) => ({ log: tenantHash, entry }));
    return this.#system.write((connection) => {
      connection.db.transaction(() => restoreBeyond(connection, logged)).immediate();
    });
  }

  /** All that `read` sees is of one moment. */
  #read<T>(tenantId: string, nothing: T, read: (connection: SqliteConnection) => T): Promise<T> {
    return this.#tenants.read(
      { tenantId, userId: '' },
      ({ connection }) => connection.db.transaction(() => read(connection))(),
      () => nothing,
    );
  }
}

function talliesOf(connection: SqliteConnection, at: number): Tallies {
  const tallies = Object.entries(TALLIED_TABLES).map(([name, [table, revisions]]) => {
    const sums = `SELECT count(*) AS count, coalesce(sum(${revisions}), 0) AS revisions FROM ${table}`;
    if (table !== 'state') return [name, connection.first<Tally>(sums)];
    return [name, connection.first<Tally>(`${sums} WHERE expires_at IS NULL OR expires_at > ?`, at)];
  });
  return Object.fromEntries(tallies) as Tallies;
}
