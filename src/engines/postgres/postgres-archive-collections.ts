/** The collections of an archive in PostgreSQL, but for entries: a page of each, its end, and putting it back. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { ArchivedState, ArchivedUser, ArchivePage, Place } from '../../ports/archive.ts';
import type { Recorded } from '../../ports/record-store.ts';
import { archivePage } from '../sql/archive-page.ts';
import { auditEntryOf, type AuditRow } from '../sql/audit-row.ts';
import { recordOf, type Cell } from '../sql/record-row.ts';
import { RecordStatements, type Statement } from '../sql/record-statements.ts';
import { columnEntries, columnOf, type RecordTable } from '../sql/record-table.ts';
import { heldOf, itemOf, type StateRow } from '../sql/state-row.ts';
import { logOf, restoreTo } from './postgres-audit-chain.ts';
import { SELECT_CHAIN } from './postgres-audit-log.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { boundParameters, numbered, POSTGRES_RECORDS } from './postgres-record-dialect.ts';
import type { Ask } from './postgres-statement.ts';
import type { Enter } from './postgres-users.ts';

export interface PagePlace {
  readonly tenantId: string;
  readonly limit: number;
  /** After the empty place come the first ones. */
  readonly after: Place;
  /** Milliseconds. */
  readonly now: number;
}

/** Within a transaction of administration. */
export interface Writing {
  readonly transaction: PostgresTransaction;
  readonly enter: Enter;
  readonly tenantId: string;
}

export interface PostgresCollection<T> {
  readonly read: (ask: Ask, place: PagePlace) => Promise<ArchivePage<T>>;
  readonly end: (ask: Ask, tenantId: string) => Promise<Place | undefined>;
  /** Before the transaction. */
  readonly prepare?: (items: readonly T[]) => Promise<void>;
  readonly write: (writing: Writing, items: readonly T[]) => Promise<void>;
}

/** The first part of a place as text, or null. */
export function keyIn([key]: Place): string | null {
  return key === undefined ? null : String(key);
}

const SELECT_USERS = `
  SELECT id, created_at AS "createdAt" FROM lamina.users WHERE tenant_id = $1 AND id > $2 ORDER BY id LIMIT $3`;
const INSERT_USERS = `
  INSERT INTO lamina.users (tenant_id, id, created_at)
  SELECT $1::uuid, u.id, u.created_at FROM json_to_recordset($2::json) AS u (id text, created_at bigint)
  ON CONFLICT DO NOTHING`;

export const ARCHIVED_USERS: PostgresCollection<ArchivedUser> = {
  read: async (ask, { tenantId, limit, after: [id = ''] }) => {
    const rows = await ask<{ id: string; createdAt: number }>(SELECT_USERS, [tenantId, id, limit]);
    const items = rows.map((row) => ({ id: row.id, createdAt: new Date(row.createdAt).toISOString() }));
    return archivePage(items, (user) => [user.id]);
  },
  // They come in the order of the database's language, which is not everyone's.
  end: () => Promise.resolve(undefined),
  write: async ({ transaction, tenantId }, items) => {
    const rows = items.map(({ id, createdAt }) => ({ id, created_at: Date.parse(createdAt) }));
    await transaction.query(INSERT_USERS, [tenantId, JSON.stringify(rows)]);
  },
};

const SELECT_STATE = `
  SELECT namespace, key, value::text AS value, version, created_at, updated_at, expires_at, access_count,
         last_accessed_at, kept_until
  FROM lamina.state
  WHERE tenant_id = $1 AND (namespace, key) > ($2, $3) AND (expires_at IS NULL OR expires_at > $4)
  ORDER BY namespace, key LIMIT $5`;
const SELECT_LAST_STATE = `
  SELECT namespace, key FROM lamina.state WHERE tenant_id = $1 ORDER BY namespace DESC, key DESC LIMIT 1`;
// As text: a null would be taken for none.
const INSERT_STATE = `
  INSERT INTO lamina.state (
    tenant_id, namespace, key, value, version, created_at, updated_at, expires_at, access_count, last_accessed_at,
    kept_until)
  SELECT $1::uuid, s.namespace, s.key, s.value::json, s.version, s.created_at, s.updated_at, s.expires_at,
         s.access_count, s.last_accessed_at, s.kept_until
  FROM json_to_recordset($2::json) AS s (
    namespace text, key text, value text, version bigint, created_at bigint, updated_at bigint, expires_at bigint,
    access_count bigint, last_accessed_at bigint, kept_until bigint)
  ON CONFLICT DO NOTHING`;
// It is no event that a value of a pool was carried here: nothing happened to it.
const FORGET_EVENTS = `
  DELETE FROM lamina.events WHERE tenant_id = $1 AND transaction = pg_current_xact_id()::text::bigint`;

interface NamedStateRow extends StateRow {
  readonly namespace: string;
  readonly key: string;
  readonly kept_until: number | null;
}

export const ARCHIVED_STATE: PostgresCollection<ArchivedState> = {
  read: async (ask, { tenantId, limit, after: [namespace = '', key = ''], now }) => {
    const rows = await ask<NamedStateRow>(SELECT_STATE, [tenantId, namespace, key, now, limit]);
    const items = rows.map((row) => ({
      namespace: row.namespace,
      ...itemOf(row.key, heldOf(row)),
      ...(row.kept_until !== null && { keptUntil: new Date(row.kept_until).toISOString() }),
    }));
    return archivePage(items, (item) => [item.namespace, item.key]);
  },
  end: async (ask, tenantId) => {
    const [last] = await ask<NamedStateRow>(SELECT_LAST_STATE, [tenantId]);
    return last && [last.namespace, last.key];
  },
  write: async ({ transaction, tenantId }, items) => {
    await transaction.query(INSERT_STATE, [tenantId, JSON.stringify(items.map(stateRowOf))]);
    await transaction.query(FORGET_EVENTS, [tenantId]);
  },
};

function stateRowOf(item: ArchivedState): NamedStateRow {
  return {
    namespace: item.namespace,
    key: item.key,
    value: JSON.stringify(item.value),
    version: item.version,
    created_at: Date.parse(item.createdAt),
    updated_at: Date.parse(item.updatedAt),
    expires_at: millisOf(item.expiresAt),
    access_count: item.accessCount,
    last_accessed_at: millisOf(item.lastAccessedAt),
    kept_until: millisOf(item.keptUntil),
  };
}

function millisOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

const SELECT_LAST_AUDIT = `
  SELECT sequence, id FROM lamina.audit_log WHERE tenant_id = $1 ORDER BY sequence DESC, id DESC LIMIT 1`;

export const ARCHIVED_AUDIT: PostgresCollection<AuditEntry> = {
  read: async (ask, { tenantId, limit, after: [sequence = 0, id = ''] }) => {
    const rows = await ask<AuditRow>(SELECT_CHAIN, [tenantId, sequence, id, limit]);
    return archivePage(rows.map(auditEntryOf), (entry) => [entry.sequence ?? 0, entry.id]);
  },
  end: async (ask, tenantId) => {
    const [last] = await ask<{ sequence: number; id: string }>(SELECT_LAST_AUDIT, [tenantId]);
    return last && [last.sequence, last.id];
  },
  write: ({ transaction, tenantId }, items) =>
    restoreTo(
      transaction,
      logOf(tenantId),
      items.map((entry) => ({ log: tenantId, entry })),
    ),
};

/** Links are not read: they follow from the records. */
export function archivedRecords<R extends Recorded>(table: RecordTable<R>): PostgresCollection<R> {
  const key = columnOf(table.key);
  const columns = columnEntries(table).map(([field, type]) =>
    POSTGRES_RECORDS.read(columnOf(field), columnOf(field), type),
  );
  const page = `FROM lamina.${table.name} WHERE tenant_id = $1`;
  const select = `SELECT ${columns.join(', ')} ${page} AND ${key} > $2 ORDER BY ${key} LIMIT $3`;
  const selectLast = `SELECT ${key} AS key ${page} ORDER BY ${key} DESC LIMIT 1`;
  const statements = new RecordStatements(table, POSTGRES_RECORDS);
  const keyOf = (record: R): string => String(record[table.key]);
  return {
    read: async (ask, { tenantId, limit, after: [after = ''] }) => {
      const rows = await ask<Readonly<Record<string, Cell>>>(select, [tenantId, after, limit]);
      return archivePage(
        rows.map((row) => recordOf(table, row)),
        (record) => [keyOf(record)],
      );
    },
    end: async (ask, tenantId) => {
      const [last] = await ask<{ key: string }>(selectLast, [tenantId]);
      return last && [last.key];
    },
    write: async ({ transaction, enter, tenantId }, items) => {
      const ask = (statement: Statement) => transaction.query(numbered(statement), boundParameters(statement));
      for (const userId of usersIn(table, items)) enter(userId);
      const written = await Promise.all(items.map((record) => ask(statements.insertAsItIs({ tenantId }, record))));
      for (const [index, record] of items.entries()) {
        if (table.links === undefined || written[index]?.rows.length !== 1) continue;
        await ask(statements.link({ tenantId }, keyOf(record), record[table.links] as readonly string[]));
      }
    },
  };
}

/** Whoever a record belongs to, or speaks for: rows are wanted for them. */
function usersIn<R extends Recorded>({ owner, user = owner }: RecordTable<R>, records: readonly R[]): Set<string> {
  return new Set(user === undefined ? [] : records.map((record) => String(record[user])));
}
