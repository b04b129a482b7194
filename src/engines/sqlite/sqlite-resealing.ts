/** Changing how something is stored in a tenant's file, without changing it. */

import type { Archived, Place } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Recorded } from '../../ports/record-store.ts';
import type { Resealed, ResealedPage, Resealing } from '../../ports/resealing.ts';
import {
  CONTEXT_SNAPSHOTS,
  CONTEXTS,
  PLAN_CONTEXTS,
  PLANS,
  POOLS,
  SESSIONS,
  TASK_CONTEXTS,
} from '../sql/record-tables.ts';
import { RecordStatements } from '../sql/record-statements.ts';
import type { RecordTable } from '../sql/record-table.ts';
import { ARCHIVED_STATE, archivedRecords, type SqliteCollection } from './sqlite-archive-collections.ts';
import { archivedEntries, ARCHIVED_VERSIONS } from './sqlite-archive-entries.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';
import { ARCHIVED_FACTS } from './sqlite-fact-archive.ts';
import { SqliteFactTransaction } from './sqlite-fact-transaction.ts';
import { boundValues, SQLITE_RECORDS } from './sqlite-record-dialect.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const UPDATE_VERSION =
  'UPDATE entry_versions SET entry = ? WHERE version = ? AND seq = (SELECT seq FROM entries WHERE id = ?)';
const UPDATE_STATE = 'UPDATE state SET value = ? WHERE namespace = ? AND key = ?';

/** Before all that can have expired, so that also that is read. */
const ALL_TIME = 0;

interface Rewritten<T> extends Pick<SqliteCollection<T>, 'read'> {
  readonly rewrite: (connection: SqliteConnection, items: readonly T[]) => void;
}

type Collections = { readonly [C in Resealed]: Rewritten<Archived[C]> };

export class SqliteResealing implements Resealing {
  readonly #tenants: SqliteTenants;
  readonly #collections: Collections;

  constructor(tenants: SqliteTenants, clock: Clock) {
    this.#tenants = tenants;
    this.#collections = {
      entries: {
        read: archivedEntries(clock).read,
        rewrite: (connection, items) => new SqliteEntryTransaction(connection, clock, '').rewrite(items),
      },
      versions: {
        read: ARCHIVED_VERSIONS.read,
        rewrite: (connection, items) => {
          for (const { entryId, memory } of items) {
            connection.run(UPDATE_VERSION, JSON.stringify(memory), memory.version, entryId);
          }
        },
      },
      state: {
        read: ARCHIVED_STATE.read,
        rewrite: (connection, items) => {
          for (const { namespace, key, value } of items) {
            connection.run(UPDATE_STATE, JSON.stringify(value), namespace, key);
          }
        },
      },
      facts: {
        read: ARCHIVED_FACTS.read,
        rewrite: (connection, items) => new SqliteFactTransaction(connection).rewrite(items),
      },
      plans: rewrittenRecords(PLANS),
      planContexts: rewrittenRecords(PLAN_CONTEXTS),
      sessions: rewrittenRecords(SESSIONS),
      taskContexts: rewrittenRecords(TASK_CONTEXTS),
      pools: rewrittenRecords(POOLS),
      contexts: rewrittenRecords(CONTEXTS),
      contextSnapshots: rewrittenRecords(CONTEXT_SNAPSHOTS),
    };
  }

  async reseal<C extends Resealed>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place = [],
    change: (item: Archived[C]) => Archived[C] | undefined,
  ): Promise<ResealedPage> {
    const { read, rewrite }: Rewritten<Archived[C]> = this.#collections[collection];
    return this.#tenants.read<ResealedPage | Promise<ResealedPage>>(
      { tenantId, userId: '' },
      (tenant) =>
        tenant.write(
          (connection) => {
            const { items, last } = read(connection, limit, after, ALL_TIME);
            const changed = items.flatMap((item) => change(item) ?? []);
            rewrite(connection, changed);
            return { last, seen: items.length, changed: changed.length };
          },
          () => {
            tenant.state.forget();
            tenant.forgetEntries();
          },
        ),
      () => ({ last: undefined, seen: 0, changed: 0 }),
    );
  }

  async compact(tenantId: string): Promise<void> {
    await this.#tenants.read<Promise<void>>(
      { tenantId, userId: '' },
      (tenant) => tenant.compact(),
      async () => {},
    );
  }
}

/** The file is the tenant's: no statement names it. */
const FILE = { tenantId: '' };

function rewrittenRecords<R extends Recorded>(table: RecordTable<R>): Rewritten<R> {
  const statements = new RecordStatements(table, SQLITE_RECORDS);
  return {
    read: archivedRecords(table).read,
    rewrite: (connection, items) => {
      for (const record of items) {
        const update = statements.rewrite(FILE, record);
        connection.run(update.sql, ...boundValues(update));
      }
    },
  };
}
