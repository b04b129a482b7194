/** The collections of an archive in a tenant's file, but for entries: a page of each, its end, and putting it back. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { ArchivedState, ArchivedUser, ArchivePage, Place } from '../../ports/archive.ts';
import type { Recorded } from '../../ports/record-store.ts';
import { archivePage } from '../sql/archive-page.ts';
import { recordOf, type Cell } from '../sql/record-row.ts';
import { RecordStatements } from '../sql/record-statements.ts';
import { columnEntries, columnOf, type RecordTable } from '../sql/record-table.ts';
import { heldOf, itemOf } from '../sql/state-row.ts';
import { auditInChain, lastInChain, restoreAudit } from './sqlite-audit-log.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { boundValues, SQLITE_RECORDS } from './sqlite-record-dialect.ts';
import type { KeptStateRow } from './sqlite-state-statements.ts';

export interface SqliteCollection<T> {
  /** After the empty place come the first ones. `now` is in milliseconds. */
  readonly read: (connection: SqliteConnection, limit: number, after: Place, now: number) => ArchivePage<T>;
  readonly end: (connection: SqliteConnection) => Place | undefined;
  readonly write: (connection: SqliteConnection, items: readonly T[], tenantId: string) => void;
}

const SELECT_USERS = 'SELECT id, created_at AS createdAt FROM users WHERE id > ? ORDER BY id LIMIT ?';
const INSERT_USER = 'INSERT INTO users (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING';

export const ARCHIVED_USERS: SqliteCollection<ArchivedUser> = {
  read: (connection, limit, [id = '']) => {
    const rows = connection.all<{ id: string; createdAt: number }>(SELECT_USERS, id, limit);
    const items = rows.map((row) => ({ id: row.id, createdAt: new Date(row.createdAt).toISOString() }));
    return archivePage(items, (user) => [user.id]);
  },
  // Others come in between: engines that want a row for whoever is named anywhere make them as they need them.
  end: () => undefined,
  write: (connection, items) => {
    for (const { id, createdAt } of items) connection.run(INSERT_USER, id, Date.parse(createdAt));
  },
};

const SELECT_STATE = `
  SELECT namespace, key, value, version, created_at, updated_at, expires_at, access_count, last_accessed_at, kept_until
  FROM state WHERE (namespace, key) > (?, ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY namespace, key LIMIT ?`;
const SELECT_LAST_STATE = 'SELECT namespace, key FROM state ORDER BY namespace DESC, key DESC LIMIT 1';
const INSERT_STATE = `
  INSERT INTO state (namespace, key, value, version, created_at, updated_at, expires_at, access_count, last_accessed_at, kept_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

type NamedStateRow = KeptStateRow & { readonly namespace: string; readonly key: string };

export const ARCHIVED_STATE: SqliteCollection<ArchivedState> = {
  read: (connection, limit, [namespace = '', key = ''], now) => {
    const rows = connection.all<NamedStateRow>(SELECT_STATE, namespace, key, now, limit);
    const items = rows.map((row) => ({
      namespace: row.namespace,
      ...itemOf(row.key, heldOf(row)),
      ...(row.kept_until !== null && { keptUntil: new Date(row.kept_until).toISOString() }),
    }));
    return archivePage(items, (item) => [item.namespace, item.key]);
  },
  end: (connection) => {
    const last = connection.first<NamedStateRow>(SELECT_LAST_STATE);
    return last && [last.namespace, last.key];
  },
  // Without events of what is in pools: nothing happened to it.
  write: (connection, items) => {
    for (const item of items) {
      const { namespace, key, value, version, createdAt, updatedAt, expiresAt } = item;
      const times = [createdAt, updatedAt, expiresAt].map(millisOf);
      const accesses = [item.accessCount, millisOf(item.lastAccessedAt), millisOf(item.keptUntil)];
      connection.run(INSERT_STATE, namespace, key, JSON.stringify(value), version, ...times, ...accesses);
    }
  },
};

function millisOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

export const ARCHIVED_AUDIT: SqliteCollection<AuditEntry> = {
  read: (connection, limit, [sequence = 0, id = '']) =>
    archivePage(auditInChain(connection, limit, { sequence: Number(sequence), id: String(id) }), placeOfAudit),
  end: (connection) => {
    const last = lastInChain(connection);
    return last && placeOfAudit(last);
  },
  write: (connection, items, tenantId) => restoreAudit(connection, tenantId, items),
};

function placeOfAudit({ sequence = 0, id }: AuditEntry): Place {
  return [sequence, id];
}

/** The file is the tenant's: no statement names it. */
const FILE = { tenantId: '' };

/** Links are not read: they follow from the records. */
export function archivedRecords<R extends Recorded>(table: RecordTable<R>): SqliteCollection<R> {
  const { name, links } = table;
  const key = columnOf(table.key);
  const columns = columnEntries(table).map(([field]) => columnOf(field));
  const select = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`;
  const selectLast = `SELECT ${key} AS key FROM ${name} ORDER BY ${key} DESC LIMIT 1`;
  const statements = new RecordStatements(table, SQLITE_RECORDS);
  return {
    read: (connection, limit, [after = '']) => {
      const rows = connection.all<Readonly<Record<string, Cell>>>(select, after, limit);
      return archivePage(
        rows.map((row) => recordOf(table, row)),
        (record) => [String(record[table.key])],
      );
    },
    end: (connection) => {
      const last = connection.first<{ key: string }>(selectLast);
      return last && [last.key];
    },
    write: (connection, items) => {
      for (const record of items) {
        const insert = statements.insertAsItIs(FILE, record);
        const inserted = connection.first(insert.sql, ...boundValues(insert));
        if (inserted === undefined || links === undefined) continue;
        const link = statements.link(FILE, String(record[table.key]), record[links] as readonly string[]);
        connection.run(link.sql, ...boundValues(link));
      }
    },
  };
}
