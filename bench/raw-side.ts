/** The limit: better-sqlite3 alone, on a file of its own, doing the statements of a tape and nothing else. */

import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import { load as loadVectorFunctions } from 'sqlite-vec';
import type { Call, Connection, StatementTape } from './statement-tape.ts';

interface Step {
  readonly statement: Statement;
  readonly method: Call['method'];
  readonly values: readonly unknown[];
}

/** A recorded operation, ready to run: reads first, then one transaction with all that it wrote. */
export interface Cue {
  readonly reads: readonly Step[];
  readonly writes: readonly Step[];
}

export class RawSide {
  readonly #connections: Readonly<Record<Connection, Database>>;
  readonly #statements = new Map<string, Statement>();
  readonly #begin: Statement;
  readonly #commit: Statement;

  /** The file is a copy of Lamina's: page size, journal, schema and rows come with it, the settings from the tape. */
  constructor(file: string, tape: StatementTape) {
    const open = (connection: Connection): Database => {
      const db = new Sqlite(file, { readonly: connection === 'reading' });
      loadVectorFunctions(db);
      for (const [name, value] of Object.entries(tape.settingsOf(connection))) db.pragma(`${name} = ${String(value)}`);
      return db;
    };
    this.#connections = { writing: open('writing'), reading: open('reading') };
    this.#begin = this.#connections.writing.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#connections.writing.prepare('COMMIT');
  }

  /** Prepares what the calls need, outside of what is timed. */
  cue(calls: readonly Call[]): Cue {
    const stepsOf = (connection: Connection): Step[] =>
      calls
        .filter((call) => call.connection === connection)
        .map(({ sql, method, values }) => ({ statement: this.#prepared(connection, sql), method, values }));
    return { reads: stepsOf('reading'), writes: stepsOf('writing') };
  }

  /** Durable when it returns. */
  play({ reads, writes }: Cue): void {
    for (const { statement, method, values } of reads) statement[method](...values);
    if (writes.length === 0) return;
    this.#begin.run();
    for (const { statement, method, values } of writes) statement[method](...values);
    this.#commit.run();
  }

  /** Rows and the last sequence number, which tell whether two files went through the same. */
  state(): unknown {
    return stateOf(this.#connections.writing);
  }

  close(): void {
    this.#connections.reading.close();
    this.#connections.writing.close();
  }

  #prepared(connection: Connection, sql: string): Statement {
    const key = `${connection} ${sql}`;
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      statement = this.#connections[connection].prepare(sql);
      this.#statements.set(key, statement);
    }
    return statement;
  }
}

function stateOf(db: Database): unknown {
  return db
    .prepare(
      `SELECT (SELECT count(*) FROM entries) AS entries, (SELECT max(seq) FROM entries) AS last,
         (SELECT count(*) FROM embeddings) AS embeddings, (SELECT max(seq) FROM events) AS events,
         (SELECT sum(lexeme_count) FROM partitions) AS lexemes`,
    )
    .get();
}

/** The same of a file that somebody else has open, or nobody. */
export function stateOfFile(file: string): unknown {
  const db = new Sqlite(file, { readonly: true });
  try {
    return stateOf(db);
  } finally {
    db.close();
  }
}
