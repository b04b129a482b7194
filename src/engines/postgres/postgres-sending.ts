/** The statements of a transaction on their way: kept back until an answer is wanted, so that what wants none is one message. */

import type { Parameter, PostgresConnection, PostgresResult, Row } from './postgres-driver.ts';
import type { Statement } from './postgres-statement.ts';

/** A transaction under way. Statements run in the order in which they are asked for. */
export interface PostgresTransaction {
  query<R = Row>(sql: string, values?: readonly Parameter[]): Promise<PostgresResult<R>>;
  /** The same without waiting: should it fail, then so does the transaction, when it is to be committed; `failed` is told before. */
  send(sql: string, values?: readonly Parameter[], failed?: (error: unknown) => void): void;
}

export class PostgresSending implements PostgresTransaction {
  readonly #connection: PostgresConnection;
  readonly #patienceMs: number | undefined;
  readonly #kept: Statement[];
  readonly #sent: Promise<unknown>[] = [];
  readonly #told: ((error: unknown) => void)[] = [];
  #hasBegun = false;

  /** `first` are those that every transaction begins with. */
  constructor(connection: PostgresConnection, first: readonly Statement[], patienceMs: number | undefined) {
    this.#connection = connection;
    this.#kept = [...first];
    this.#patienceMs = patienceMs;
  }

  query<R = Row>(sql: string, values?: readonly Parameter[]): Promise<PostgresResult<R>> {
    this.#begin();
    return this.#ask<R>(sql, values);
  }

  send(sql: string, values: readonly Parameter[] = [], failed?: (error: unknown) => void): void {
    if (failed) this.#told.push(failed);
    if (this.#hasBegun) void this.#ask(sql, values);
    else this.#kept.push({ sql, values });
  }

  /** Durable when it resolves. */
  async commit(): Promise<void> {
    const connection = this.#connection;
    if (!this.#hasBegun && connection.transact) {
      await connection.transact(this.#kept, this.#patienceMs);
      return;
    }
    this.#begin();
    // The first failure counts: those that follow only say that the transaction has failed.
    await settled([...this.#sent, connection.query('COMMIT', undefined, this.#patienceMs)]);
  }

  /** Leaves nothing behind. Answers with what failed first, or else with what made the caller give up. */
  async rollBack(reason: unknown): Promise<unknown> {
    let cause = reason;
    if (this.#hasBegun) {
      await this.#connection.query('ROLLBACK', undefined, this.#patienceMs).catch(() => {});
      cause = (await firstFailure(this.#sent)) ?? reason;
    }
    for (const failed of this.#told) failed(cause);
    return cause;
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    void this.#ask('BEGIN');
    for (const { sql, values } of this.#kept) void this.#ask(sql, values);
  }

  #ask<R>(sql: string, values?: readonly Parameter[]): Promise<PostgresResult<R>> {
    const result = this.#connection.query<R>(sql, values, this.#patienceMs);
    // Looked at when the transaction ends; until then its failure is nobody's unhandled one.
    result.catch(() => {});
    this.#sent.push(result);
    return result;
  }
}

async function firstFailure(results: readonly Promise<unknown>[]): Promise<unknown> {
  for (const result of await Promise.allSettled(results)) if (result.status === 'rejected') return result.reason;
  return undefined;
}

/** As `Promise.all`, but waits for every one, so that nothing is under way when it throws. */
export async function settled(results: readonly Promise<unknown>[]): Promise<void> {
  const failure = await firstFailure(results);
  if (failure !== undefined) throw failure;
}
