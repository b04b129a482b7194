/** The audit log in PostgreSQL: with the tenant, and beyond it for the erasure of the tenant itself. */

import { hash } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit.ts';
import type { Receipt } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AuditLog, AuditPosition } from '../../ports/audit-log.ts';
import { auditCellsOf, auditEntryOf, type AuditRow } from '../sql/audit-row.ts';
import { contextOf, type Context, type PostgresDatabase, type PostgresTransaction } from './postgres-database.ts';
import { usersOf } from './postgres-users.ts';

const INSERT = `
  INSERT INTO lamina.audit_log (tenant_id, id, action, actor, details, at) VALUES ($1, $2, $3, $4, $5, $6)`;
const INSERT_BEYOND = `
  INSERT INTO lamina.erased_tenants (tenant_hash, id, action, actor, details, at) VALUES ($1, $2, $3, $4, $5, $6)`;

const COLUMNS = 'id, action, actor, details::text AS details, at';

// Ids as text, because a cursor that somebody made up need not hold one.
const LIST = `
  SELECT * FROM (
    SELECT ${COLUMNS} FROM lamina.audit_log
    WHERE tenant_id = $1 AND ($3::bigint IS NULL OR (at, id::text COLLATE "C") < ($3, $4::text))
    ORDER BY at DESC, audit_log.id DESC LIMIT $5) AS own
  UNION ALL
  SELECT * FROM (
    SELECT ${COLUMNS} FROM lamina.erased_tenants
    WHERE tenant_hash = $2 AND ($3::bigint IS NULL OR (at, id::text COLLATE "C") < ($3, $4::text))
    ORDER BY at DESC, erased_tenants.id DESC LIMIT $5) AS beyond
  ORDER BY at DESC, id DESC LIMIT $5`;

const FIND = `
  SELECT ${COLUMNS} FROM lamina.audit_log WHERE tenant_id = $1 AND id = $3
  UNION ALL
  SELECT ${COLUMNS} FROM lamina.erased_tenants WHERE tenant_hash = $2 AND id = $3`;

export class PostgresAuditLog implements AuditLog {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  record(principal: Principal, entry: AuditEntry): Promise<void> {
    return usersOf(this.#database).transaction(
      administrationOf(principal),
      Date.parse(entry.at),
      async (transaction, enter) => {
        // The log belongs to the tenant; whoever is only in it has written nothing.
        enter('');
        insertAudit(transaction, principal, entry);
      },
    );
  }

  async list(principal: Principal, limit: number, position?: AuditPosition): Promise<AuditEntry[]> {
    const place = [position?.at ?? null, position?.id ?? null];
    const rows = await this.#database.read<AuditRow>(administrationOf(principal), LIST, [
      ...logsOf(principal),
      ...place,
      limit,
    ]);
    return rows.map(auditEntryOf);
  }

  async receipt(principal: Principal, erasureId: string): Promise<Receipt | null> {
    const values = [...logsOf(principal), erasureId];
    const [row] = await this.#database.read<AuditRow>(administrationOf(principal), FIND, values);
    return (row && auditEntryOf(row).receipt) ?? null;
  }
}

/** Over all users of the principal's tenant. */
export function administrationOf(principal: Principal): Context {
  return { ...contextOf(principal), purpose: 'administration' };
}

/** Within a transaction of administration; the tenant is there. */
export function insertAudit(transaction: PostgresTransaction, { tenantId }: Principal, entry: AuditEntry): void {
  transaction.send(INSERT, [tenantId, ...auditCellsOf(entry)]);
}

/** The same for what is left when the tenant is gone. */
export function insertAuditBeyond(transaction: PostgresTransaction, { tenantId }: Principal, entry: AuditEntry): void {
  transaction.send(INSERT_BEYOND, [hash('sha256', tenantId), ...auditCellsOf(entry)]);
}

/** Where its entries are: the tenant's id, and what stands for it beyond. */
function logsOf({ tenantId }: Principal): [string, string] {
  return [tenantId, hash('sha256', tenantId)];
}
