/** Reading facts over one connection: within a transaction or outside of any. */

import type { Direction, Fact } from '../../domain/fact.ts';
import { scopeKey, type Scope } from '../../domain/scope.ts';
import type { EdgeQuery, FactQuery, TimelineQuery } from '../../ports/fact-store.ts';
import { branchesOf, type Branch } from '../sql/fact-conditions.ts';
import { factOf, READ_COLUMNS, statementHash, textHash, type FactRow } from '../sql/fact-row.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';

const COLUMNS = `f.fact_id, (SELECT s.key FROM fact_scopes s WHERE s.scope_id = f.scope_id) AS scope_key, ${READ_COLUMNS}`;

const SELECT_SCOPES = 'SELECT scope_id AS id FROM fact_scopes WHERE key IN (SELECT value FROM json_each(?))';
const SELECT_BY_ID = `SELECT ${COLUMNS} FROM facts f WHERE f.fact_id = ?`;
const SELECT_PAGE = `SELECT ${COLUMNS} FROM facts f WHERE f.fact_id > ? ORDER BY f.fact_id LIMIT ?`;

// What says one thing; and all of a timeline, which has what still holds and what has an end in indexes of their own.
const SELECT_SAME = `
  SELECT ${COLUMNS} FROM facts f
  WHERE f.scope_id = ? AND f.statement_hash = ? AND (f.valid_to IS NULL OR f.valid_to > ?)`;
const OF_TIMELINE = 'f.scope_id = ? AND f.subject_hash = ? AND f.predicate_hash = ?';
// By name: SQLite knows nothing of how many facts a subject has, and would rather go by the end, or by the order.
const SELECT_OPEN = `SELECT ${COLUMNS} FROM facts f INDEXED BY facts_subject WHERE ${OF_TIMELINE} AND f.valid_to IS NULL`;
const SELECT_ENDED = `SELECT ${COLUMNS} FROM facts f INDEXED BY facts_ended_subject WHERE ${OF_TIMELINE} AND f.valid_to > ?`;

const ENDS = { out: 'subject', in: 'object' } as const;
const OPEN = 'f.valid_to IS NULL';
const HALVES = [OPEN, 'f.valid_to > ?'] as const;

/** Nodes are pairs of a hash and a text, predicates likewise. */
function selectEdges(way: keyof typeof ENDS, half: (typeof HALVES)[number], hasPredicates: boolean): string {
  const end = ENDS[way];
  const open = way === 'in' && hasPredicates ? 'facts_statement' : `facts_${end}`;
  const facts = `facts f INDEXED BY ${half === OPEN ? open : `facts_ended_${end}`}`;
  const along = hasPredicates
    ? `CROSS JOIN json_each(?) p CROSS JOIN ${facts} ON f.predicate_hash = p.value ->> 0 AND f.predicate = p.value ->> 1`
    : `CROSS JOIN ${facts} ON true`;
  return `
    SELECT ${COLUMNS} FROM json_each(?) s CROSS JOIN json_each(?) n ${along}
    WHERE f.scope_id = s.value AND f.${end}_hash = n.value ->> 0 AND f.${end} = n.value ->> 1 AND ${half}
      AND f.valid_from <= ?`;
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
    const branches = branchesOf(query).map((branch) => this.#statement(branch, query));
    const rows = this.#scopeIds(query.scopes).flatMap((id) =>
      branches.flatMap(({ sql, values }) => this.#connection.all<SqliteFactRow>(sql, id, ...values)),
    );
    return rows.toSorted(mostCertainFirst).slice(0, query.limit).map(readFact);
  }

  #statement(branch: Branch, { after, limit }: FactQuery): { sql: string; values: Value[] } {
    const { index, half, comparisons } = branch;
    const conditions = comparisons.map(({ left, operator }) => `${left} ${operator} ?`);
    const values: Value[] = comparisons.map(({ value }) => value);
    if (after !== undefined) {
      conditions.push('(f.confidence, f.created_at, f.fact_id) < (?, ?, ?)');
      values.push(after.confidence, Date.parse(after.createdAt), bytesOf(after.factId));
    }
    const where = ['f.scope_id = ?', half, ...conditions].join(' AND ');
    const order = 'ORDER BY f.confidence DESC, f.created_at DESC, f.fact_id DESC';
    const sql = `SELECT ${COLUMNS} FROM facts f INDEXED BY ${index} WHERE ${where} ${order} LIMIT ?`;
    return { sql, values: [...values, limit] };
  }

  edges({ scopes, nodes, direction, predicates, at, limit }: EdgeQuery): Fact[] {
    const ids = JSON.stringify(this.#scopeIds(scopes));
    const lists = [ids, pairsOf(nodes), ...(predicates === undefined ? [] : [pairsOf(predicates)])];
    const selects: string[] = [];
    const values: Value[] = [];
    for (const way of waysOf(direction)) {
      for (const half of HALVES) {
        selects.push(selectEdges(way, half, predicates !== undefined));
        values.push(...lists, ...(half === OPEN ? [] : [at]), at);
      }
    }
    const sql = `${selects.join(' UNION ALL ')} LIMIT ?`;
    return this.#connection.all<SqliteFactRow>(sql, ...values, limit).map(readFact);
  }

  timelines(queries: readonly TimelineQuery[]): Fact[] {
    const scopeIds = new Map<string, number | undefined>();
    const rows = queries.flatMap((query) => {
      const key = scopeKey(query.scope);
      if (!scopeIds.has(key)) scopeIds.set(key, this.#scopeIds([query.scope])[0]);
      const scopeId = scopeIds.get(key);
      return scopeId === undefined ? [] : this.#timeline(scopeId, query);
    });
    const facts = new Map(rows.map((row) => [row.fact_id.toString('hex'), row]));
    return Array.from(facts.values(), readFact);
  }

  #timeline(scopeId: number, { factType, subject, predicate, object, from }: TimelineQuery): SqliteFactRow[] {
    const all = (sql: string, ...values: Value[]): SqliteFactRow[] => this.#connection.all(sql, scopeId, ...values);
    const time = Date.parse(from);
    const place = [textHash(subject), textHash(predicate)];
    const rows =
      object === undefined
        ? [...all(SELECT_OPEN, ...place), ...all(SELECT_ENDED, ...place, time)]
        : all(SELECT_SAME, statementHash({ factType, subject, predicate, object }), time);
    return rows.filter(
      (row) =>
        row.fact_type === factType &&
        row.subject === subject &&
        row.predicate === predicate &&
        (object === undefined || row.object === object),
    );
  }

  /** Of those scopes that hold anything. */
  #scopeIds(scopes: readonly Scope[]): number[] {
    const keys = JSON.stringify(scopes.map(scopeKey));
    return this.#connection.all<{ id: number }>(SELECT_SCOPES, keys).map(({ id }) => id);
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

function waysOf(direction: Direction): (keyof typeof ENDS)[] {
  return direction === 'both' ? ['out', 'in'] : [direction];
}

function pairsOf(texts: readonly string[]): string {
  return JSON.stringify(texts.map((text) => [textHash(text), text]));
}
