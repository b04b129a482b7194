/**
 * Writes down every statement that Lamina's engine sends to SQLite, with its values. The raw side replays the tape,
 * so that both do the same by construction, also after the engine has changed.
 */

import Sqlite, { type Database, type Statement } from 'better-sqlite3';

type Method = 'all' | 'get' | 'run';
const METHODS: readonly Method[] = ['all', 'get', 'run'];

/** The raw side has transactions of its own. */
const TRANSACTION = /^(BEGIN|COMMIT)\b/;

/** Settings of a connection that are not kept in the file. */
const SETTINGS = ['synchronous', 'foreign_keys', 'secure_delete', 'cache_size', 'mmap_size', 'temp_store'] as const;

export type Connection = 'reading' | 'writing';

export interface Call {
  readonly connection: Connection;
  readonly sql: string;
  readonly method: Method;
  readonly values: readonly unknown[];
  /** That it gave back. */
  readonly rows: number;
}

export type Settings = Readonly<Record<string, unknown>>;

export class StatementTape {
  readonly #file: string | undefined;
  readonly #settings = new Map<Connection, Settings>();
  #calls: Call[] | undefined;

  /** Of one file only, where it is named. */
  constructor(file?: string) {
    this.#file = file;
  }

  /** While the work lasts, every statement that is prepared can be recorded; others are left alone. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const prepare = Reflect.get(Sqlite.prototype, 'prepare') as (this: Database, sql: string) => Statement;
    const observed = (db: Database, sql: string): Statement => this.#observe(db, sql, prepare.call(db, sql));
    const patch = function patch(this: Database, sql: string): Statement {
      return observed(this, sql);
    };
    Reflect.set(Sqlite.prototype, 'prepare', patch);
    try {
      return await work();
    } finally {
      Reflect.set(Sqlite.prototype, 'prepare', prepare);
    }
  }

  /** Does the work and returns what it asked of SQLite, beside its own result. */
  async record<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly calls: readonly Call[] }> {
    const calls: Call[] = [];
    this.#calls = calls;
    try {
      return { value: await work(), calls };
    } finally {
      this.#calls = undefined;
    }
  }

  settingsOf(connection: Connection): Settings {
    const settings = this.#settings.get(connection);
    if (settings === undefined) throw new Error(`No ${connection} connection has been seen yet.`);
    return settings;
  }

  #observe(db: Database, sql: string, statement: Statement): Statement {
    if (this.#file !== undefined && db.name !== this.#file) return statement;
    const connection = db.readonly ? 'reading' : 'writing';
    // With every statement anew: the first ones are prepared before a connection has its settings.
    this.#settings.set(connection, settingsOf(db));
    if (TRANSACTION.test(sql)) return statement;
    for (const method of METHODS) {
      const original = statement[method].bind(statement);
      statement[method] = (...values: unknown[]): never => {
        const result = original(...values);
        this.#calls?.push({ connection, sql, method, values, rows: rowsOf(method, result) });
        return result as never;
      };
    }
    return statement;
  }
}

function settingsOf(db: Database): Settings {
  return Object.fromEntries(SETTINGS.map((name) => [name, db.pragma(name, { simple: true })]));
}

function rowsOf(method: Method, result: unknown): number {
  if (Array.isArray(result) && method === 'all') return result.length;
  return method === 'get' && result !== undefined ? 1 : 0;
}
