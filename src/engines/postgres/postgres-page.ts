/** A page of entries in the order of a time: each partition is asked in its own order, and the pages are merged. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { Selection } from '../../ports/entry-store.ts';
import type { Parameter } from './postgres-driver.ts';
import { ENTRY_COLUMNS, SINCE, WITH_ACCESSES } from './postgres-entry-row.ts';
import { conditionsOf } from './postgres-selection.ts';
import { Parameters, type Statement } from './postgres-statement.ts';

/** What a page is ordered by, latest first, and then by id. */
const TIMES = { created: 'e.created_at', since: SINCE } as const;

export interface Page {
  readonly selection: Selection;
  readonly order: keyof typeof TIMES;
  readonly limit: number;
  /** Strictly after this one. */
  readonly after?: { readonly time: number; readonly id: string } | undefined;
}

export function keysOf(partitions: readonly Partition[]): string[] {
  return [...new Set(partitions.map(partitionKey))];
}

/**
 * The policies say so already, but in a way that leaves room for those who may look over all tenants, so that no index
 * could be entered by it.
 */
export const IN_TENANT = 'p.tenant_id = (SELECT lamina.current_tenant())';

/**
 * Another one after anything was written to the partition: numbers of transactions come once while the server runs, and
 * a row is written to a place once in each. Since when it runs stands before the space: one that was restored from a backup
 * may give the same numbers again.
 */
const STAMP = `concat(extract(epoch FROM pg_postmaster_start_time()), ' ', p.xmin, p.ctid)`;

/** Whether nothing but what was written since is different. */
export function isOfSameServer(before: string | undefined, now: string): boolean {
  return before?.split(' ', 1)[0] === now.split(' ', 1)[0];
}

/**
 * Those of these partitions that there are, as `p`: each is looked up by its key. Like every limit of one here and every
 * offset of none, that of this subquery says nothing new, but leaves the planner no choice. It does not know which tenants
 * are large, takes all of them for small, and would rather go through all that a tenant has.
 */
export function partitionsBy(keys: string): string {
  return `unnest(${keys}) AS k (key) CROSS JOIN LATERAL (
    SELECT p.id, p.entry_count, p.lexeme_count, ${STAMP} AS stamp FROM lamina.partitions p
    WHERE ${IN_TENANT} AND p.key = k.key LIMIT 1) p`;
}

export function selectPage(page: Page, now: number): Statement {
  const { rows, order, values } = rowsOf(page, now);
  return { sql: `SELECT ${ENTRY_COLUMNS} FROM (${rows}) e ${WITH_ACCESSES} ORDER BY ${order}`, values };
}

/** Locks those of the page that may be changed. */
export function lockPage(page: Page, now: number): Statement {
  const { rows, values } = rowsOf(page, now);
  const sql = `
    SELECT 1 FROM lamina.entries e WHERE e.seq = ANY (ARRAY (SELECT e.seq FROM (${rows}) e))
    ORDER BY e.seq FOR NO KEY UPDATE`;
  return { sql, values };
}

/** The rows of a page as a subquery, and their order. */
interface Rows {
  readonly rows: string;
  readonly order: string;
  readonly values: readonly Parameter[];
}

function rowsOf({ selection, order: by, limit, after }: Page, now: number): Rows {
  const parameters = new Parameters();
  const time = TIMES[by];
  const order = `${time} DESC, e.id DESC`;
  const conditions = conditionsOf(selection, parameters);
  const living = `(e.expires_at IS NULL OR e.expires_at > ${parameters.bind(now, 'bigint')})`;
  const afterwards = after
    ? ` AND (${time}, e.id) < (${parameters.bind(after.time, 'bigint')}, ${parameters.bind(after.id, 'uuid')})`
    : '';
  const first = `ORDER BY ${order} LIMIT ${parameters.bind(limit, 'bigint')}`;
  const among = (where: string): string =>
    `SELECT e.* FROM lamina.entries e WHERE ${where}${living}${conditions}${afterwards} ${first}`;
  const rows =
    selection.partitions === undefined
      ? among('')
      : `SELECT e.* FROM ${partitionsBy(parameters.bind(keysOf(selection.partitions), 'text[]'))}
         CROSS JOIN LATERAL (${among('e.partition_id = p.id AND ')}) e ${first}`;
  return { rows, order, values: parameters.values };
}
