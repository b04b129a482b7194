/** The audit log in SQLite: in the tenant's own file, and in `system.db` for the erasure of the tenant itself. */

import { hash } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Receipt } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AuditLog, AuditPosition } from '../../ports/audit-log.ts';
import { auditCellsOf, auditEntryOf, type AuditRow } from '../sql/audit-row.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import type { SqliteSystem } from './sqlite-system.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const INSERT = 'INSERT INTO audit_log (id, action, actor, details, at) VALUES (?, ?, ?, ?, ?)';
const INSERT_BEYOND = 'INSERT INTO audit_log (tenant_hash, id, action, actor, details, at) VALUES (?, ?, ?, ?, ?, ?)';
const SELECT = 'SELECT id, action, actor, details, at FROM audit_log';
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
    return this.#tenants.use(tenantId, (tenant) => tenant.write((connection) => insertAudit(connection, entry)));
  }

  /** For what is left when the tenant's own file is gone. */
  recordBeyond({ tenantId }: Principal, entry: AuditEntry): Promise<void> {
    return this.#system.write((connection) => {
      connection.run(INSERT_BEYOND, hash('sha256', tenantId), ...auditCellsOf(entry));
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
      (connection) =>
        connection.all<AuditRow>(`${SELECT} WHERE tenant_hash = ? ${rest}`, hash('sha256', tenantId), ...values),
      () => [],
    );
  }
}

/** Within a transaction of the tenant. */
export function insertAudit(connection: SqliteConnection, entry: AuditEntry): void {
  connection.run(INSERT, ...auditCellsOf(entry));
}

function newestFirst(a: AuditRow, b: AuditRow): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}
