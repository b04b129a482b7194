/** The audit log in PostgreSQL: with the tenant, and beyond it for the erasure of the tenant itself. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { LoggedEntry } from '../../domain/audit-chain.ts';
import type { Receipt } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AuditLog, AuditPosition, ChainPosition } from '../../ports/audit-log.ts';
import { auditEntryOf, sha256, type AuditRow, type BeyondRow } from '../sql/audit-row.ts';
import { appendTo, COLUMNS, logBeyond, logOf } from './postgres-audit-chain.ts';
import { contextOf, type Context, type PostgresDatabase } from './postgres-database.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { usersOf } from './postgres-users.ts';

const DIRECTORY: Context = { purpose: 'directory' };

/** Within a transaction of administration: the log beyond is one for all tenants. */
const LOOK_BEYOND = "SELECT set_config('app.purpose', 'directory', true)";

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

export const SELECT_CHAIN = `
  SELECT ${COLUMNS} FROM lamina.audit_log
  WHERE tenant_id = $1 AND (sequence, id::text COLLATE "C") > ($2::bigint, $3::text)
  ORDER BY sequence, id::text COLLATE "C" LIMIT $4`;
export const SELECT_CHAIN_BEYOND = `
  SELECT tenant_hash AS "tenantHash", ${COLUMNS} FROM lamina.erased_tenants
  WHERE (sequence, id::text COLLATE "C") > ($1::bigint, $2::text) ORDER BY sequence, id::text COLLATE "C" LIMIT $3`;

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
        await insertAudit(transaction, principal, entry);
      },
    );
  }

  recordBeyond(entry: AuditEntry, tenantId?: string): Promise<void> {
    const log = tenantId === undefined ? '' : sha256(tenantId);
    return this.#database.transaction(DIRECTORY, (transaction) => appendTo(transaction, logBeyond(), [{ log, entry }]));
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

  async chain(principal: Principal, limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    const values = [principal.tenantId, after.sequence, after.id, limit];
    const rows = await this.#database.read<AuditRow>(administrationOf(principal), SELECT_CHAIN, values);
    return rows.map((row) => ({ log: principal.tenantId, entry: auditEntryOf(row) }));
  }

  async chainBeyond(limit: number, after: ChainPosition): Promise<LoggedEntry[]> {
    const values = [after.sequence, after.id, limit];
    const rows = await this.#database.read<BeyondRow>(DIRECTORY, SELECT_CHAIN_BEYOND, values);
    return rows.map((row) => ({ log: row.tenantHash, entry: auditEntryOf(row) }));
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
export function insertAudit(
  transaction: PostgresTransaction,
  { tenantId }: Principal,
  entry: AuditEntry,
): Promise<void> {
  return appendTo(transaction, logOf(tenantId), [{ log: tenantId, entry }]);
}

/** The same for what is left when the tenant is gone. Nothing of a tenant can be seen in this transaction from then on. */
export async function insertAuditBeyond(
  transaction: PostgresTransaction,
  { tenantId }: Principal,
  entry: AuditEntry,
): Promise<void> {
  transaction.send(LOOK_BEYOND);
  await appendTo(transaction, logBeyond(), [{ log: sha256(tenantId), entry }]);
}

/** Where its entries are: the tenant's id, and what stands for it beyond. */
function logsOf({ tenantId }: Principal): [string, string] {
  return [tenantId, sha256(tenantId)];
}
