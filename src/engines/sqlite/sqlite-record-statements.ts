/** The SQL of a kind of record, made once from its table. Values are always bound, never spelled out. */

import type { Recorded, RecordQuery, Where } from '../../ports/record-store.ts';
import { columnEntries, columnOf, type RecordTable } from '../sql/record-table.ts';
import { cellOf, type Cell } from './sqlite-record-row.ts';

export const NEXT_VERSION = 'UPDATE record_clock SET version = version + 1 WHERE id = 1 RETURNING version';
export const UNLINK = 'DELETE FROM record_links WHERE collection = ? AND key = ?';
export const LINK = 'INSERT OR IGNORE INTO record_links (collection, link, key) SELECT ?, value, ? FROM json_each(?)';

export interface Statement {
  readonly sql: string;
  readonly values: readonly Cell[];
}

export class SqliteRecordStatements<R extends Recorded> {
  readonly insert: string;
  readonly update: string;
  readonly delete: string;
  readonly selectByKey: string;
  readonly selectByLink: string;
  readonly #table: RecordTable<R>;
  readonly #columns: string;
  /** Takes the owner's id as its value, also where there is no owner. */
  readonly #isOwn: string;

  constructor(table: RecordTable<R>) {
    const { name } = table;
    const columns = columnEntries(table).map(([field]) => columnOf(field));
    const key = columnOf(table.key);
    this.#table = table;
    this.#columns = columns.map((column) => `r.${column}`).join(', ');
    this.#isOwn = table.owner === undefined ? '? IS NOT NULL' : `r.${columnOf(table.owner)} = ?`;
    this.insert = `
      INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
      ON CONFLICT (${key}) DO NOTHING`;
    this.update = `UPDATE ${name} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`;
    this.delete = `DELETE FROM ${name} WHERE ${key} = ?`;
    this.selectByKey = `SELECT ${this.#columns} FROM ${name} r WHERE r.${key} = ? AND ${this.#isOwn}`;
    // An id that several records list is the newest one's: the others are what an earlier attempt left.
    this.selectByLink = `
      SELECT ${this.#columns} FROM record_links l JOIN ${name} r ON r.${key} = l.key
      WHERE l.collection = '${name}' AND l.link = ? AND ${this.#isOwn}
      ORDER BY r.created_at DESC, r.version DESC LIMIT 1`;
  }

  /**
   * Each combination of values has its own order in an index, so each is asked for a page, and the pages are merged in
   * the same statement: the few plans that are active must not cost a walk over the many that are finished.
   */
  list(owner: string, { where, after, limit }: RecordQuery<R>): Statement {
    const { name, order, key } = this.#table;
    const [at, tie] = [columnOf(order), columnOf(key)];
    const newestFirst = `ORDER BY ${at} DESC, ${tie} DESC LIMIT ?`;
    const position = after === undefined ? '' : ` AND (${at}, ${tie}) < (?, ?)`;
    const place = after === undefined ? [] : [Date.parse(after.at), after.key];
    const pages = combinationsOf(where).map((single) => {
      const { sql, values } = this.#condition(owner, single);
      const page = `SELECT ${this.#columns} FROM ${name} r WHERE ${sql}${position} ${newestFirst}`;
      return { sql: `SELECT * FROM (${page})`, values: [...values, ...place, limit] };
    });
    return {
      sql: `${pages.map(({ sql }) => sql).join(' UNION ALL ')} ${newestFirst}`,
      values: [...pages.flatMap(({ values }) => values), limit],
    };
  }

  selectKeys(owner: string, where: Where<R>): Statement {
    const { name, key } = this.#table;
    const { sql, values } = this.#condition(owner, where);
    return { sql: `SELECT r.${columnOf(key)} AS key FROM ${name} r WHERE ${sql}`, values };
  }

  #condition(owner: string, where: Where<R>): Statement {
    const conditions: Statement[] = [{ sql: this.#isOwn, values: [owner] }];
    for (const [field, type] of columnEntries(this.#table)) {
      const wanted = where[field]?.map((value: unknown) => cellOf(type, value));
      const [only] = wanted ?? [];
      if (wanted === undefined) continue;
      if (wanted.length === 1 && only !== undefined) {
        conditions.push({ sql: `r.${columnOf(field)} = ?`, values: [only] });
      } else {
        const sql = `r.${columnOf(field)} IN (SELECT value FROM json_each(?))`;
        conditions.push({ sql, values: [JSON.stringify(wanted)] });
      }
    }
    return {
      sql: conditions.map(({ sql }) => sql).join(' AND '),
      values: conditions.flatMap(({ values }) => values),
    };
  }
}

/** Every way to choose one value for each field; the same as they are where a field has no values to choose from. */
function combinationsOf<R>(where: Where<R>): Where<R>[] {
  const entries = Object.entries(where) as [string, readonly unknown[] | undefined][];
  return entries.reduce<Where<R>[]>(
    (chosen, [field, values]) => {
      const choices = values === undefined || values.length < 2 ? [values] : [...new Set(values)].map((each) => [each]);
      return chosen.flatMap((each) => choices.map((choice) => ({ ...each, [field]: choice })));
    },
    [{}],
  );
}
