/** PostgreSQL as an archive: tenant by tenant over all of its users, which is administration. */

import type { Collection, Tallies, Tally } from '../../domain/archive.ts';
import type { Archive, Archived, ArchivedErasure, ArchivePage, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import { archivePage } from '../sql/archive-page.ts';
import { TALLIED_TABLES } from '../sql/archive-tables.ts';
import { auditEntryOf, type BeyondRow } from '../sql/audit-row.ts';
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
  type PostgresCollection,
} from './postgres-archive-collections.ts';
import { archivedEntries, ARCHIVED_VERSIONS } from './postgres-archive-entries.ts';
import { ARCHIVED_FACTS } from './postgres-fact-archive.ts';
import { logBeyond, restoreTo } from './postgres-audit-chain.ts';
import { SELECT_CHAIN_BEYOND } from './postgres-audit-log.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import { PostgresSpaces } from './postgres-spaces.ts';
import type { Ask } from './postgres-statement.ts';
import { usersOf } from './postgres-users.ts';

const DIRECTORY: Context = { purpose: 'directory' };

// One statement, and so of one moment.
const SELECT_TALLIES = Object.entries(TALLIED_TABLES)
  .map(
    ([name, [table, revisions]]) => `
  SELECT '${name}' AS name, count(*) AS count, coalesce(sum(${revisions}), 0) AS revisions FROM lamina.${table}
  WHERE tenant_id = $1 AND ${table === 'state' ? '(expires_at IS NULL OR expires_at > $2)' : '$2::bigint IS NOT NULL'}`,
  )
  .join(' UNION ALL ');

const SELECT_TENANTS = `
  SELECT id FROM lamina.tenants WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`;
const LATEST_VERSION = "SELECT coalesce(pg_sequence_last_value('lamina.versions'), 0) AS version";
const ADVANCE_VERSIONS = 'SELECT lamina.advance_versions($1)';
type Collections = { readonly [C in Collection]: PostgresCollection<Archived[C]> };

export class PostgresArchive implements Archive {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  readonly #collections: Collections;

  constructor(database: PostgresDatabase, clock: Clock, vectorSchema: string) {
    this.#database = database;
    this.#clock = clock;
    this.#collections = {
      users: ARCHIVED_USERS,
      entries: archivedEntries(new PostgresSpaces(database), vectorSchema),
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

  async tenants(limit: number, after?: string): Promise<string[]> {
    const rows = await this.#database.read<{ id: string }>(DIRECTORY, SELECT_TENANTS, [after ?? null, limit]);
    return rows.map(({ id }) => id);
  }

  async tallies(tenantId: string, at: number): Promise<Tallies> {
    const rows = await this.#asking(tenantId)<Tally & { name: string }>(SELECT_TALLIES, [tenantId, at]);
    return Object.fromEntries(rows.map(({ name, count, revisions }) => [name, { count, revisions }])) as Tallies;
  }

  read<C extends Collection>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place = [],
  ): Promise<ArchivePage<Archived[C]>> {
    const { read }: PostgresCollection<Archived[C]> = this.#collections[collection];
    return read(this.#asking(tenantId), { tenantId, limit, after, now: this.#clock.now() });
  }

  end(tenantId: string, collection: Collection): Promise<Place | undefined> {
    return this.#collections[collection].end(this.#asking(tenantId), tenantId);
  }

  async write<C extends Collection>(tenantId: string, collection: C, items: readonly Archived[C][]): Promise<void> {
    const { prepare, write }: PostgresCollection<Archived[C]> = this.#collections[collection];
    await prepare?.(items);
    await usersOf(this.#database).transaction(administering(tenantId), this.#clock.now(), (transaction, enter) => {
      // The tenant itself.
      enter('');
      return write({ transaction, enter, tenantId }, items);
    });
  }

  /** One sequence for all of them. */
  async latestVersion(): Promise<number> {
    const [row] = await this.#database.read<{ version: number }>(DIRECTORY, LATEST_VERSION);
    return row?.version ?? 0;
  }

  async advanceVersions(_tenantId: string, version: number): Promise<void> {
    await this.#database.write(DIRECTORY, ADVANCE_VERSIONS, [version]);
  }

  async readErasures(limit: number, [sequence = 0, id = '']: Place = []): Promise<ArchivePage<ArchivedErasure>> {
    const rows = await this.#database.read<BeyondRow>(DIRECTORY, SELECT_CHAIN_BEYOND, [sequence, id, limit]);
    const items = rows.map((row) => ({ tenantHash: row.tenantHash, entry: auditEntryOf(row) }));
    return archivePage(items, ({ entry }) => [entry.sequence ?? 0, entry.id]);
  }

  async writeErasures(items: readonly ArchivedErasure[]): Promise<void> {
    const logged = items.map(({ tenantHash, entry }) => ({ log: tenantHash, entry }));
    await this.#database.transaction(DIRECTORY, (transaction) => restoreTo(transaction, logBeyond(), logged));
  }

  #asking(tenantId: string): Ask {
    return (sql, values) => this.#database.read(administering(tenantId), sql, values);
  }
}

function administering(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
