/** The audit log in SQLite: in the tenant's own file, and in `system.db` for the erasure of the tenant itself. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { ChainHead, LoggedEntry } from '../../domain/audit-chain.ts';
import type { Receipt } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AuditLog, AuditPosition, ChainPosition } from '../../ports/audit-log.ts';
import {
  AUDIT_COLUMNS,
  auditCellsOf,
  auditEntryOf,
  headOf,
  linkedTo,
  sha256,
  unlinkedAmong,
  type AuditRow,
  type BeyondRow,
} from '../sql/audit-row.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import type { SqliteSystem } from './sqlite-system.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const INSERT = `INSERT INTO audit_log (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_BEYOND = `INSERT INTO audit_log (tenant_hash, ${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const SELECT = `SELECT ${AUDIT_COLUMNS} FROM audit_log`;
const SELECT_BEYOND = `SELECT tenant_hash AS tenantHash, ${AUDIT_COLUMNS} FROM audit_log`;
const LAST = 'ORDER BY sequence DESC LIMIT 1';
const IS_THERE = 'SELECT 1 FROM audit_log WHERE id = ?';
const UNLINKED = 'WHERE sequence = 0';
export const IN_CHAIN = 'WHERE (sequence, id) > (?, ?) ORDER BY sequence, id LIMIT ?';
const BEFORE = '(at, id) < (?, ?)';
const NEWEST_FIRST = 'ORDER BY at DESC, id DESC LIMIT ?';

export class SqliteAuditLog implements AuditLog {
  readonly #tenants: SqliteTenants;
  readonly #system: SqliteSystem;

  constructor(tenants: SqliteTenants, system: SqliteSystem) {
    this.#tenants = tenants;
    this.#system = system;
  }

  record({ tenantId }: Principal, entry: AuditEntry): Promise<void> {
    return this.#tenants.use(tenantId, (tenant) =>
      tenant.write((connection) => insertAudit(connection, tenantId, entry)),
    );
  }

  recordBeyond(entry: AuditEntry, tenantId?: string): Promise<void> {
    const log = tenantId === undefined ? '' : sha256(tenantId);
    return this.#system.write((connection) => {
      connection.db.transaction(() => appendBeyond(connection, [{ log, entry }])).immediate();
    });
  }

  async list(principal: Principal, limit: number, position?: AuditPosition): Promise<AuditEntry[]> {
    const place = position ? [position.at, position.id] : [];
    const own = await this.#own(principal, `${position ? `WHERE ${BEFORE}` : ''} ${NEWEST_FIRST}`, [...place, limit]);
    const beyond = await this.#beyond(principal, `${position ? `AND ${BEFORE}` : ''} ${NEWEST_FIRST}`, [
      ...place,
      limit,
    ]);
    return [...own, ...beyond].toSorted(newestFirst).slice(0, limit).map(auditEntryOf);
  }

  async chain(principal: Principal, limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    const rows = await this.#own(principal, IN_CHAIN, [after.sequence, after.id, limit]);
    return rows.map((row) => ({ log: principal.tenantId, entry: auditEntryOf(row) }));
  }

  chainBeyond(limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    return this.#system.read(
      (connection) => selectBeyond(connection, IN_CHAIN, after.sequence, after.id, limit),
      () => [],
    );
  }

  async receipt(principal: Principal, erasureId: string): Promise<Receipt | null> {
    const [row] = [
      ...(await this.#own(principal, 'WHERE id = ?', [erasureId])),
      ...(await this.#beyond(principal, 'AND id = ?', [erasureId])),
    ];
    return (row && auditEntryOf(row).receipt) ?? null;
  }

  #own(principal: Principal, rest: string, values: readonly Value[]): Promise<AuditRow[]> {
    return this.#tenants.read(
      principal,
      (tenant) => tenant.connection.all<AuditRow>(`${SELECT} ${rest}`, ...values),
      () => [],
    );
  }

  #beyond({ tenantId }: Principal, rest: string, values: readonly Value[]): Promise<AuditRow[]> {
    return this.#system.read(
      (connection) => connection.all<AuditRow>(`${SELECT} WHERE tenant_hash = ? ${rest}`, sha256(tenantId), ...values),
      () => [],
    );
  }
}

/** Within a transaction of the tenant. Does nothing where an entry of that id is there. */
export function insertAudit(connection: SqliteConnection, tenantId: string, entry: AuditEntry): void {
  if (connection.first(IS_THERE, entry.id) !== undefined) return;
  for (const linked of linkedTo(headIn(connection, tenantId), [{ log: tenantId, entry }])) {
    connection.run(INSERT, ...auditCellsOf(linked.entry));
  }
}

/** The same for entries that come from an archive: with the links that they have, where they fit. */
export function restoreAudit(connection: SqliteConnection, tenantId: string, entries: readonly AuditEntry[]): void {
  const items = entries
    .filter(({ id }) => connection.first(IS_THERE, id) === undefined)
    .map((entry) => ({ log: tenantId, entry }));
  const unlinked = unlinkedAmong(headIn(connection, tenantId), items);
  for (const { entry } of unlinked) connection.run(INSERT, ...auditCellsOf(entry));
  const rest = items.filter((item) => !unlinked.includes(item));
  for (const { entry } of linkedTo(headIn(connection, tenantId), rest)) connection.run(INSERT, ...auditCellsOf(entry));
}

/** A page of the chain in a tenant's file, with the position of each entry as its place. */
export function auditInChain(connection: SqliteConnection, limit: number, after: ChainPosition): AuditEntry[] {
  return connection.all<AuditRow>(`${SELECT} ${IN_CHAIN}`, after.sequence, after.id, limit).map(auditEntryOf);
}

export function lastInChain(connection: SqliteConnection): AuditEntry | undefined {
  const [last] = connection.all<AuditRow>(`${SELECT} ORDER BY sequence DESC, id DESC LIMIT 1`).map(auditEntryOf);
  return last;
}

function headIn(connection: SqliteConnection, log: string): ChainHead {
  return headOf(connection.first<AuditRow>(`${SELECT} ${LAST}`), () =>
    connection.all<AuditRow>(`${SELECT} ${UNLINKED}`).map((row) => ({ log, entry: auditEntryOf(row) })),
  );
}

/** Within a transaction of the system's file. */
export function restoreBeyond(connection: SqliteConnection, items: readonly LoggedEntry[]): void {
  const missing = items.filter(({ entry }) => connection.first(IS_THERE, entry.id) === undefined);
  const unlinked = unlinkedAmong(headBeyond(connection), missing);
  for (const { log, entry } of unlinked) connection.run(INSERT_BEYOND, log, ...auditCellsOf(entry));
  appendBeyond(
    connection,
    missing.filter((item) => !unlinked.includes(item)),
  );
}

function appendBeyond(connection: SqliteConnection, items: readonly LoggedEntry[]): void {
  for (const { log, entry } of linkedTo(headBeyond(connection), items)) {
    connection.run(INSERT_BEYOND, log, ...auditCellsOf(entry));
  }
}

function headBeyond(connection: SqliteConnection): ChainHead {
  return headOf(connection.first<AuditRow>(`${SELECT} ${LAST}`), () => selectBeyond(connection, UNLINKED));
}

export function selectBeyond(connection: SqliteConnection, rest: string, ...values: readonly Value[]): LoggedEntry[] {
  const rows = connection.all<BeyondRow>(`${SELECT_BEYOND} ${rest}`, ...values);
  return rows.map((row) => ({ log: row.tenantHash, entry: auditEntryOf(row) }));
}

function newestFirst(a: AuditRow, b: AuditRow): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}
