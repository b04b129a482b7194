/** Writing into a chain of the audit log in PostgreSQL: one at a time for each chain, on whichever node. */

import type { ChainHead, LoggedEntry } from '../../domain/audit-chain.ts';
import {
  AUDIT_COLUMNS,
  auditCellsOf,
  auditEntryOf,
  headOf,
  linkedTo,
  unlinkedAmong,
  type AuditRow,
  type BeyondRow,
} from '../sql/audit-row.ts';
import type { PostgresTransaction } from './postgres-sending.ts';

export const COLUMNS = 'id, action, actor, details::text AS details, at, sequence, previous, hash';

/** Until the transaction ends. Whoever comes next sees what was written by then. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('lamina audit ' || $1, 0))";

interface Chain {
  readonly name: string;
  /** What each of its statements takes first. */
  readonly key: readonly string[];
  readonly selectLast: string;
  readonly selectUnlinked: string;
  readonly selectThere: string;
  readonly insert: string;
  readonly cellsOf: (item: LoggedEntry) => readonly (string | number)[];
  readonly logIn: (row: BeyondRow) => string;
}

/** A tenant's own. */
export function logOf(tenantId: string): Chain {
  const from = 'FROM lamina.audit_log WHERE tenant_id = $1';
  return {
    name: tenantId,
    key: [tenantId],
    selectLast: `SELECT ${COLUMNS} ${from} ORDER BY sequence DESC LIMIT 1`,
    selectUnlinked: `SELECT ${COLUMNS} ${from} AND sequence = 0`,
    selectThere: `SELECT id ${from} AND id = ANY ($2::uuid[])`,
    insert: `INSERT INTO lamina.audit_log (tenant_id, ${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    cellsOf: ({ entry }) => [tenantId, ...auditCellsOf(entry)],
    logIn: () => tenantId,
  };
}

/** The one that outlives tenants, in a transaction of the directory. */
export function logBeyond(): Chain {
  const columns = `tenant_hash AS "tenantHash", ${COLUMNS}`;
  return {
    name: 'beyond',
    key: [],
    selectLast: `SELECT ${columns} FROM lamina.erased_tenants ORDER BY sequence DESC LIMIT 1`,
    selectUnlinked: `SELECT ${columns} FROM lamina.erased_tenants WHERE sequence = 0`,
    selectThere: 'SELECT id FROM lamina.erased_tenants WHERE id = ANY ($1::uuid[])',
    insert: `
      INSERT INTO lamina.erased_tenants (tenant_hash, ${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    cellsOf: ({ log, entry }) => [log, ...auditCellsOf(entry)],
    logIn: ({ tenantHash }) => tenantHash,
  };
}

/** What is there already stays as it is. */
export async function appendTo(
  transaction: PostgresTransaction,
  chain: Chain,
  items: readonly LoggedEntry[],
): Promise<void> {
  transaction.send(LOCK, [chain.name]);
  const missing = await missingOf(transaction, chain, items);
  insert(transaction, chain, linkedTo(await headIn(transaction, chain), missing));
}

/** The same for entries that come from an archive: with the links that they have, where they fit. */
export async function restoreTo(
  transaction: PostgresTransaction,
  chain: Chain,
  items: readonly LoggedEntry[],
): Promise<void> {
  transaction.send(LOCK, [chain.name]);
  const missing = await missingOf(transaction, chain, items);
  const unlinked = unlinkedAmong(await headIn(transaction, chain), missing);
  insert(transaction, chain, unlinked);
  const rest = missing.filter((item) => !unlinked.includes(item));
  insert(transaction, chain, linkedTo(await headIn(transaction, chain), rest));
}

function insert(transaction: PostgresTransaction, chain: Chain, items: readonly LoggedEntry[]): void {
  for (const item of items) transaction.send(chain.insert, chain.cellsOf(item));
}

async function missingOf(
  transaction: PostgresTransaction,
  chain: Chain,
  items: readonly LoggedEntry[],
): Promise<LoggedEntry[]> {
  const ids = items.map(({ entry }) => entry.id);
  const { rows } = await transaction.query<{ id: string }>(chain.selectThere, [...chain.key, ids]);
  const there = new Set(rows.map(({ id }) => id));
  return items.filter(({ entry }) => !there.has(entry.id));
}

async function headIn(transaction: PostgresTransaction, chain: Chain): Promise<ChainHead> {
  const [last] = (await transaction.query<AuditRow>(chain.selectLast, chain.key)).rows;
  const isLinked = last !== undefined && last.sequence > 0;
  const rows = isLinked ? [] : (await transaction.query<BeyondRow>(chain.selectUnlinked, chain.key)).rows;
  return headOf(last, () => rows.map((row) => ({ log: chain.logIn(row), entry: auditEntryOf(row) })));
}
