/** Reading facts over one connection: within a transaction or outside of any. */

import type { Fact } from '../../domain/fact.ts';
import { scopeKey, type Scope } from '../../domain/scope.ts';
import type { EdgeQuery, FactQuery, TimelineQuery } from '../../ports/fact-store.ts';
import { branchesOf, leadsOf, waysOf, type Branch, type Way } from '../sql/fact-conditions.ts';
import { factOf, hashOf, READ_COLUMNS, type FactRow } from '../sql/fact-row.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';

const COLUMNS = `f.fact_id, (SELECT s.key FROM fact_scopes s WHERE s.scope_id = f.scope_id) AS scope_key, ${READ_COLUMNS}`;

const SELECT_SCOPES = 'SELECT scope_id AS id, key FROM fact_scopes WHERE key IN (SELECT value FROM json_each(?))';
const SELECT_BY_ID = `SELECT ${COLUMNS} FROM facts f WHERE f.fact_id = ?`;
const SELECT_PAGE = `SELECT ${COLUMNS} FROM facts f WHERE f.fact_id > ? ORDER BY f.fact_id LIMIT ?`;

// What says one thing; and all of a timeline, which has what still holds and what has an end in indexes of their own.
const SELECT_SAME = `
  SELECT ${COLUMNS} FROM facts f
  WHERE +f.scope_id = ? AND f.statement_hash = ? AND (f.valid_to IS NULL OR f.valid_to > ?)`;
// The plus leaves SQLite no choice: it knows nothing of how many facts lie in a scope.
const OF_TIMELINE = `SELECT ${COLUMNS} FROM facts f WHERE +f.scope_id = ? AND f.slot_hash = ?`;
const SELECT_OPEN = `${OF_TIMELINE} AND f.valid_to IS NULL`;
const SELECT_ENDED = `${OF_TIMELINE} AND f.valid_to > ?`;

/** Takes leads, which are lists of a scope, a hash, a node and perhaps a predicate, and the time; and both again. */
function selectEdges({ end, column, open, ended }: Way, hasPredicates: boolean): string {
  const half = (index: string, ends: string): string => `
    SELECT ${COLUMNS} FROM json_each(?) n CROSS JOIN facts f INDEXED BY ${index} ON f.${column} = n.value ->> 1
    WHERE f.scope_id = n.value ->> 0 AND f.${end} = n.value ->> 2 ${hasPredicates ? 'AND f.predicate = n.value ->> 3' : ''}
      AND f.valid_from <= ? AND f.valid_to ${ends}`;
  return `${half(open, 'IS NULL')} UNION ALL ${half(ended, '> ?')}`;
}

interface ScopeRow {
  readonly id: number;
  readonly key: string;
}

interface SqliteFactRow extends FactRow {
  readonly fact_id: Buffer;
  readonly metadata: string;
}

export class SqliteFactReader {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  find(id: string): Fact | null {
    const row = this.#connection.first<SqliteFactRow>(SELECT_BY_ID, bytesOf(id));
    return row === undefined ? null : readFact(row);
  }

  /** By id, after the one given. */
  page(limit: number, after: string | undefined): Fact[] {
    const place = after === undefined ? Buffer.alloc(0) : bytesOf(after);
    return this.#connection.all<SqliteFactRow>(SELECT_PAGE, place, limit).map(readFact);
  }

  /** Each scope has its own order in the indexes, so each is asked for a page and the pages are merged. */
  list(query: FactQuery): Fact[] {
    const branches = branchesOf(query);
    const rows = this.#scopes(query.scopes).flatMap((scope) =>
      branches.flatMap((branch) => this.#branch(branch, query, scope)),
    );
    return rows.toSorted(mostCertainFirst).slice(0, query.limit).map(readFact);
  }

  #branch({ index, column, half, comparisons }: Branch, query: FactQuery, { id, key }: ScopeRow): SqliteFactRow[] {
    const { after, limit } = query;
    const rest = comparisons.map(({ left, operator }) => `${left} ${operator} ?`);
    const conditions = ['f.scope_id = ?', `f.${column} = ?`, half, ...rest];
    const values: Value[] = [id, hashOf(column, key, query), ...comparisons.map(({ value }) => value)];
    if (after !== undefined) {
      conditions.push('(f.confidence, f.created_at, f.fact_id) < (?, ?, ?)');
      values.push(after.confidence, Date.parse(after.createdAt), bytesOf(after.factId));
    }
    const order = 'ORDER BY f.confidence DESC, f.created_at DESC, f.fact_id DESC';
    const sql = `SELECT ${COLUMNS} FROM facts f INDEXED BY ${index} WHERE ${conditions.join(' AND ')} ${order} LIMIT ?`;
    return this.#connection.all(sql, ...values, limit);
  }

  edges(query: EdgeQuery): Fact[] {
    const { predicates, at, limit } = query;
    const scopes = this.#scopes(query.scopes);
    const ways = waysOf(query);
    const sql = ways.map((way) => selectEdges(way, predicates !== undefined)).join(' UNION ALL ');
    const values = ways.flatMap((way) => {
      const found = scopes.flatMap(({ id, key }) =>
        leadsOf(key, way, query).map(({ hash, node, predicate }) => [id, hash, node, predicate]),
      );
      const leads = JSON.stringify(found);
      return [leads, at, leads, at, at];
    });
    return this.#connection.all<SqliteFactRow>(`${sql} LIMIT ?`, ...values, limit).map(readFact);
  }

  timelines(queries: readonly TimelineQuery[]): Fact[] {
    const known = new Map(this.#scopes(queries.map(({ scope }) => scope)).map((scope) => [scope.key, scope]));
    const rows = queries.flatMap((query) => {
      const scope = known.get(scopeKey(query.scope));
      return scope === undefined ? [] : this.#timeline(scope, query);
    });
    const facts = new Map(rows.map((row) => [row.fact_id.toString('hex'), row]));
    return Array.from(facts.values(), readFact);
  }

  #timeline({ id, key }: ScopeRow, query: TimelineQuery): SqliteFactRow[] {
    const { factType, subject, predicate, object, from } = query;
    const all = (sql: string, ...values: Value[]): SqliteFactRow[] => this.#connection.all(sql, id, ...values);
    const time = Date.parse(from);
    const slot = hashOf('slot_hash', key, query);
    const rows =
      object === undefined
        ? [...all(SELECT_OPEN, slot), ...all(SELECT_ENDED, slot, time)]
        : all(SELECT_SAME, hashOf('statement_hash', key, { ...query, object }), time);
    return rows.filter(
      (row) =>
        row.fact_type === factType &&
        row.subject === subject &&
        row.predicate === predicate &&
        (object === undefined || row.object === object),
    );
  }

  /** Those of the scopes that hold anything. */
  #scopes(scopes: readonly Scope[]): ScopeRow[] {
    return this.#connection.all(SELECT_SCOPES, JSON.stringify([...new Set(scopes.map(scopeKey))]));
  }
}

export function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function readFact(row: SqliteFactRow): Fact {
  return factOf(idOf(row.fact_id), JSON.parse(row.metadata) as Fact['metadata'], row);
}

function mostCertainFirst(a: SqliteFactRow, b: SqliteFactRow): number {
  return b.confidence - a.confidence || b.created_at - a.created_at || Buffer.compare(b.fact_id, a.fact_id);
}
