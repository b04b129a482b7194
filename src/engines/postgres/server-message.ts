/**
 * Statements that are a transaction of their own, by the driver `pg`: one message there and one back, where each statement would
 * be written, answered and read by itself. What is sent before a `Sync` is a transaction: that is said by the protocol, so that nothing has
 * to begin or to end it.
 */

import type { Client, Connection, PoolClient, Query, QueryResult } from 'pg';
import type { Parameter, PostgresResult } from './postgres-driver.ts';
import type { Statement } from './postgres-statement.ts';

/** Answers as the last statement does, once all is committed. */
export type SendMessage = <R>(
  client: Client | PoolClient,
  statements: readonly Statement[],
  patienceMs: number | undefined,
) => Promise<PostgresResult<R>>;

type Answer<R> = (error: Error | null, result: QueryResult<R & object>) => void;

interface Bound {
  readonly sql: string;
  readonly values: (string | Buffer | null)[];
}

/** What the driver's own query does with what comes back, which its types leave out. */
interface Answering {
  handleDataRow(row: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: unknown, connection: Connection): void;
}

/** `nameOf` says as what a statement is prepared; undefined where it is not to be. */
export function messagesBy(query: typeof Query, nameOf: (sql: string) => string | undefined): SendMessage {
  const Answering = query as unknown as new (config: { text: string; callback: Answer<unknown> }) => Answering;
  /** What is prepared on each connection. */
  const prepared = new WeakMap<Connection, Set<string>>();

  class Message extends Answering {
    readonly query_timeout: number | undefined;
    readonly #statements: readonly Bound[];
    #answered = 0;

    constructor(statements: readonly Statement[], patienceMs: number | undefined, callback: Answer<unknown>) {
      super({ text: '', callback });
      // Before anything is sent: what cannot be is then no half of a message.
      this.#statements = statements.map(({ sql, values }) => ({ sql, values: values.map(sentAs) }));
      this.query_timeout = patienceMs;
    }

    submit(connection: Connection): null {
      const { stream } = connection;
      stream.cork();
      try {
        for (const [index, statement] of this.#statements.entries()) {
          this.#send(connection, statement);
          if (this.#isLast(index)) connection.describe({ type: 'P', name: '' }, true);
          connection.execute({ portal: '' }, true);
        }
        connection.sync();
      } finally {
        stream.uncork();
      }
      return null;
    }

    override handleDataRow(row: unknown): void {
      if (this.#isLast(this.#answered)) super.handleDataRow(row);
    }

    override handleCommandComplete(message: unknown, connection: Connection): void {
      if (this.#isLast(this.#answered)) super.handleCommandComplete(message, connection);
      this.#answered += 1;
    }

    /** What comes after it was not even prepared. */
    override handleError(error: unknown, connection: Connection): void {
      const names = prepared.get(connection);
      for (const { sql } of this.#statements.slice(this.#answered)) names?.delete(nameOf(sql) ?? '');
      super.handleError(error, connection);
    }

    #isLast(index: number): boolean {
      return index === this.#statements.length - 1;
    }

    #send(connection: Connection, { sql, values }: Bound): void {
      const name = nameOf(sql) ?? '';
      const names = prepared.get(connection) ?? new Set();
      prepared.set(connection, names);
      if (name === '' || !names.has(name)) {
        // It may be there from a message that failed after it.
        if (name !== '') connection.close({ type: 'S', name }, true);
        connection.parse({ name, text: sql, types: [] }, true);
        names.add(name);
      }
      connection.bind({ statement: name, values }, true);
    }
  }

  return <R>(client: Client | PoolClient, statements: readonly Statement[], patienceMs: number | undefined) => {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresResult<R>>();
    const answered: Answer<R> = (error, result) =>
      error ? reject(error) : resolve({ rows: result.rows, count: result.rowCount ?? 0 });
    client.query(new Message(statements, patienceMs, answered as Answer<unknown>));
    return promise;
  };
}

/** A value as the server reads it. */
function sentAs(value: Parameter): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'object' ? `{${value.map(elementOf).join(',')}}` : String(value);
}

function elementOf(element: string | number): string {
  return typeof element === 'number' ? String(element) : `"${element.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
