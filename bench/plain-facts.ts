/** What somebody would write who has facts and SQLite: one table, the indexes that come to mind, and a query for each question. */

import Sqlite, { type Database, type Statement } from 'better-sqlite3';

export interface PlainFact {
  readonly factType: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  /** Milliseconds. */
  readonly validFrom: number;
  readonly validTo: number | null;
}

const SCHEMA = `
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY, factType TEXT, subject TEXT, predicate TEXT, object TEXT, confidence REAL, metadata TEXT,
    validFrom INTEGER, validTo INTEGER);
  CREATE INDEX facts_subject ON facts (subject, predicate);
  CREATE INDEX facts_object ON facts (object, predicate);
  CREATE INDEX facts_predicate ON facts (predicate, confidence);
  CREATE INDEX facts_type ON facts (factType, confidence);
  CREATE INDEX facts_confidence ON facts (confidence);`;

const INSERT = `
  INSERT INTO facts (factType, subject, predicate, object, confidence, metadata, validFrom, validTo)
  VALUES (@factType, @subject, @predicate, @object, @confidence, '{}', @validFrom, @validTo)`;

const HOLDS = 'f.validFrom <= @at AND (f.validTo IS NULL OR f.validTo > @at)';
const LIMIT = 100;

export class PlainFacts {
  readonly file: string;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(file: string) {
    this.file = file;
    this.#db = new Sqlite(file);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.exec(SCHEMA);
  }

  insert(facts: readonly PlainFact[]): void {
    const insert = this.#prepared(INSERT);
    this.#db.transaction(() => {
      for (const fact of facts) insert.run(fact);
    })();
  }

  /** So that it knows which index is the narrower one. */
  analyze(): void {
    this.#db.exec('ANALYZE');
  }

  list(terms: Partial<PlainFact>, at: number | undefined, limit: number, minConfidence = 0): unknown[] {
    const conditions = Object.keys(terms).map((term) => `f.${term} = @${term}`);
    if (at !== undefined) conditions.push(HOLDS);
    if (minConfidence > 0) conditions.push('f.confidence >= @minConfidence');
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT * FROM facts f ${where} ORDER BY f.confidence DESC, f.id DESC LIMIT @limit`;
    return this.#prepared(sql).all({ ...terms, at, limit, minConfidence });
  }

  neighbours(node: string, hops: number, at: number): unknown[] {
    return this.#prepared(`
      SELECT f.* FROM facts f WHERE f.subject = @node AND ${HOLDS}
      UNION ALL SELECT f.* FROM facts f WHERE f.object = @node AND ${HOLDS} LIMIT ${LIMIT * hops}`).all({ node, at });
  }

  /** Two hops along the facts. */
  neighboursOut(node: string, at: number): unknown[] {
    return this.#prepared(`
      WITH RECURSIVE walk (node, distance) AS (
        VALUES (@node, 0)
        UNION
        SELECT f.object, w.distance + 1 FROM walk w JOIN facts f ON f.subject = w.node AND ${HOLDS} WHERE w.distance < 2)
      SELECT node, min(distance) FROM walk GROUP BY node LIMIT ${LIMIT}`).all({ node, at });
  }

  close(): void {
    this.#db.close();
  }

  #prepared(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
