/** Changing how something is stored in PostgreSQL, without changing it. */

import type { Archived, ArchivedEntry, ArchivedState, ArchivedVersion, Place } from '../../ports/archive.ts';
import type { Fact } from '../../domain/fact.ts';
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
import { ARCHIVED_STATE, archivedRecords, type PostgresCollection } from './postgres-archive-collections.ts';
import { archivedEntries, ARCHIVED_VERSIONS } from './postgres-archive-entries.ts';
import type { Context, PostgresDatabase } from './postgres-database.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { WRITTEN, WRITTEN_VALUES, writtenOf, writtenTable } from './postgres-entry-row.ts';
import { LOCK_ENTRIES, openPartitions } from './postgres-entry-writes.ts';
import { ARCHIVED_FACTS } from './postgres-fact-archive.ts';
import { scopeRows, writtenRows } from './postgres-fact-row.ts';
import { DELETE_FACTS, OPEN_SCOPES, RESTORE_FACTS } from './postgres-fact-statements.ts';
import { boundParameters, numbered, POSTGRES_RECORDS } from './postgres-record-dialect.ts';
import { PostgresSpaces } from './postgres-spaces.ts';

const UPDATE_ENTRIES = `
  UPDATE lamina.entries e SET (${WRITTEN}) = ROW (${WRITTEN_VALUES}) FROM ${writtenTable('$2', 'place int')}
  WHERE e.tenant_id = $1 AND e.id = w.id AND e.version = w.version`;
const LOCK_VERSIONS = `
  SELECT 1 FROM lamina.entry_versions v
  WHERE v.tenant_id = $1 AND v.seq IN (SELECT e.seq FROM lamina.entries e WHERE e.tenant_id = $1 AND e.id = ANY ($2::uuid[]))
  ORDER BY v.seq, v.version FOR UPDATE`;
const UPDATE_VERSIONS = `
  UPDATE lamina.entry_versions v SET entry = w.entry
  FROM json_to_recordset($2::json) AS w (id uuid, version bigint, entry json)
  JOIN lamina.entries e ON e.tenant_id = $1 AND e.id = w.id
  WHERE v.tenant_id = $1 AND v.seq = e.seq AND v.version = w.version`;
// As text: a null would be taken for none.
const UPDATE_STATE = `
  UPDATE lamina.state s SET value = w.value::json
  FROM json_to_recordset($2::json) AS w (namespace text, key text, value text, version bigint)
  WHERE s.tenant_id = $1 AND s.namespace = w.namespace AND s.key = w.key AND s.version = w.version`;

/** Before all that can have expired, so that also that is read. */
const ALL_TIME = 0;

interface Rewriting {
  readonly transaction: PostgresTransaction;
  readonly tenantId: string;
}

interface Rewritten<T> extends Pick<PostgresCollection<T>, 'read'> {
  /** Until the transaction ends nobody changes these, so that they have to be read again. */
  readonly lock?: (rewriting: Rewriting, items: readonly T[]) => void;
  readonly rewrite: (rewriting: Rewriting, items: readonly T[]) => void;
}

type Collections = { readonly [C in Resealed]: Rewritten<Archived[C]> };

export class PostgresResealing implements Resealing {
  readonly #database: PostgresDatabase;
  readonly #collections: Collections;

  constructor(database: PostgresDatabase, vectorSchema: string) {
    this.#database = database;
    this.#collections = {
      entries: rewrittenEntries(archivedEntries(new PostgresSpaces(database), vectorSchema)),
      versions: REWRITTEN_VERSIONS,
      state: REWRITTEN_STATE,
      facts: REWRITTEN_FACTS,
      plans: rewrittenRecords(PLANS),
      planContexts: rewrittenRecords(PLAN_CONTEXTS),
      sessions: rewrittenRecords(SESSIONS),
      taskContexts: rewrittenRecords(TASK_CONTEXTS),
      pools: rewrittenRecords(POOLS),
      contexts: rewrittenRecords(CONTEXTS),
      contextSnapshots: rewrittenRecords(CONTEXT_SNAPSHOTS),
    };
  }

  reseal<C extends Resealed>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place = [],
    change: (item: Archived[C]) => Archived[C] | undefined,
  ): Promise<ResealedPage> {
    const { read, lock, rewrite }: Rewritten<Archived[C]> = this.#collections[collection];
    const place = { tenantId, limit, after, now: ALL_TIME };
    return this.#database.transaction(administering(tenantId), async (transaction) => {
      const ask = async <R>(sql: string, values?: Parameters<PostgresTransaction['query']>[1]): Promise<R[]> =>
        (await transaction.query<R>(sql, values)).rows;
      let page = await read(ask, place);
      if (lock && page.items.length > 0) {
        lock({ transaction, tenantId }, page.items);
        page = await read(ask, place);
      }
      const changed = page.items.flatMap((item) => change(item) ?? []);
      if (changed.length > 0) rewrite({ transaction, tenantId }, changed);
      return { last: page.last, seen: page.items.length, changed: changed.length };
    });
  }

  /** What was written over goes when the database vacuums its tables, which is not the service's to do. */
  async compact(): Promise<void> {}
}

function rewrittenEntries({ read }: PostgresCollection<ArchivedEntry>): Rewritten<ArchivedEntry> {
  return {
    read,
    lock: ({ transaction, tenantId }, items) => {
      const partitions = items.map(({ partition }) => partition);
      const { sql, values } = openPartitions(tenantId, partitions);
      transaction.send(sql, values);
      transaction.send(LOCK_ENTRIES, [items.map(({ entry }) => entry.id)]);
    },
    rewrite: ({ transaction, tenantId }, items) => {
      const rows = items.map((item, place) => ({ ...writtenOf({ ...item, embedding: undefined }), place }));
      transaction.send(UPDATE_ENTRIES, [tenantId, JSON.stringify(rows)]);
    },
  };
}

const REWRITTEN_VERSIONS: Rewritten<ArchivedVersion> = {
  read: ARCHIVED_VERSIONS.read,
  lock: ({ transaction, tenantId }, items) =>
    transaction.send(LOCK_VERSIONS, [tenantId, items.map(({ entryId }) => entryId)]),
  rewrite: ({ transaction, tenantId }, items) => {
    const rows = items.map(({ entryId, memory }) => ({ id: entryId, version: memory.version, entry: memory }));
    transaction.send(UPDATE_VERSIONS, [tenantId, JSON.stringify(rows)]);
  },
};

/** A value is another one when its version is. */
const REWRITTEN_STATE: Rewritten<ArchivedState> = {
  read: ARCHIVED_STATE.read,
  rewrite: ({ transaction, tenantId }, items) => {
    const rows = items.map(({ namespace, key, value, version }) => {
      return { namespace, key, value: JSON.stringify(value), version };
    });
    transaction.send(UPDATE_STATE, [tenantId, JSON.stringify(rows)]);
  },
};

const REWRITTEN_FACTS: Rewritten<Fact> = {
  read: ARCHIVED_FACTS.read,
  lock: ({ transaction, tenantId }, items) => transaction.send(OPEN_SCOPES, [tenantId, scopeRows(items)]),
  rewrite: ({ transaction }, items) => {
    transaction.send(DELETE_FACTS, [items.map(({ factId }) => factId)]);
    transaction.send(RESTORE_FACTS, [writtenRows(items)]);
  },
};

/** The same holds for records. */
function rewrittenRecords<R extends Recorded>(table: RecordTable<R>): Rewritten<R> {
  const statements = new RecordStatements(table, POSTGRES_RECORDS);
  return {
    read: archivedRecords(table).read,
    rewrite: ({ transaction, tenantId }, items) => {
      for (const record of items) {
        const update = statements.rewrite({ tenantId }, record);
        transaction.send(numbered(update), boundParameters(update));
      }
    },
  };
}

function administering(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
