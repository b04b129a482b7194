/** The database as the stores use it: every statement runs in a transaction that says for whom it is. */

import { LaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import { DEFAULT_SEARCH_BYTES } from '../sql/search-memory.ts';
import type { Parameter, PostgresConnection, PostgresDriver, PostgresResult, Row } from './postgres-driver.ts';
import { isCollision, isLost, translated, uncertain } from './postgres-error.ts';
import { GUARD, GUARDED, guarded } from './postgres-seal-guard.ts';
import { PostgresSending, settled, type PostgresTransaction } from './postgres-sending.ts';
import type { Statement } from './postgres-statement.ts';

/** See the functions at the beginning of sql/postgres. */
export type Purpose = 'administration' | 'directory';

/** For whom a transaction is. */
export interface Context {
  readonly tenantId?: string | undefined;
  readonly userId?: string | undefined;
  readonly purpose?: Purpose | undefined;
}

export interface PostgresDatabaseOptions {
  readonly driver: PostgresDriver;
  readonly clock: Clock;
  /** Milliseconds after which the database gives a statement up. */
  readonly statementTimeoutMs: number;
  /** The trace that a transaction is a part of, as the header `traceparent` would name it. */
  readonly traceparent?: (() => string | undefined) | undefined;
  /** Whether to refuse a database once somebody seals what is stored: whoever has no keys must not write beside it. */
  readonly refusesSealed?: boolean | undefined;
  /** What searches may hold in memory of what they have read, of all tenants together. Default 256 MiB. */
  readonly searchBytes?: number | undefined;
}

/** The role that the service takes on in every transaction: neither owner nor superuser, whoever it connects as. */
export const SERVICE_ROLE = 'lamina_service';

/** What to ask `pg_has_role` for, as SQL: since PostgreSQL 16 a member need not be one that may take the role on. */
export const MAY_TAKE_ON = `CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END`;

/**
 * A transaction in which nothing has been asked for this long is that of a node that stands still or cannot be reached:
 * what it holds locked is wanted by others, and the system would take hours to notice.
 */
const MAX_SILENCE_MS = 15_000;

// One statement, and the only one that a transaction adds to what it is for. The statements are made to have one good plan
// whatever the values: to plan a search anew takes longer than to search, and so does compiling it.
const ENTER = `
  SELECT set_config('role', '${SERVICE_ROLE}', true), set_config('app.current_tenant', $1, true),
         set_config('app.current_user', $2, true), set_config('app.purpose', $3, true),
         set_config('statement_timeout', $4, true),
         set_config('idle_in_transaction_session_timeout', '${MAX_SILENCE_MS}', true),
         set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`;

/**
 * The same within a trace. What the database shows of its sessions and writes to its log (`%a`) then names the trace; the
 * statement itself stays the same one, so that it is prepared once.
 */
const ENTER_TRACED = `${ENTER}, set_config('application_name', $5, true)`;

/** How long to wait for an answer beyond the time that the database has for it: it may not be there at all any more. */
const PATIENCE_MS = 5000;

/** How long to wait for a sign of life. Whoever asks for one does not wait long either. */
const SIGN_OF_LIFE_MS = 3000;

const MAX_ATTEMPTS = 12;
const MAX_PAUSE_MS = 250;

/** An answer to nothing much that takes this long is a sign of trouble. */
const SLOW_MS = 1000;

/** How long a read waits for a database that is being restarted. */
const MAX_RECONNECT_MS = 5000;

export function contextOf({ tenantId, userId }: Principal): Context {
  return { tenantId, userId };
}

export class PostgresDatabase {
  readonly searchBytes: number;
  readonly #driver: PostgresDriver;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #traceparent: PostgresDatabaseOptions['traceparent'];
  readonly #refusesSealed: boolean;
  #isClosed = false;

  constructor(options: PostgresDatabaseOptions) {
    this.#driver = options.driver;
    this.#clock = options.clock;
    this.#timeoutMs = options.statementTimeoutMs;
    this.#traceparent = options.traceparent;
    this.#refusesSealed = options.refusesSealed ?? false;
    this.searchBytes = options.searchBytes ?? DEFAULT_SEARCH_BYTES;
  }

  /**
   * One statement that only reads: one round trip. Tried again when the connection was lost meanwhile. `settings` is a
   * statement before it that changes how it is answered.
   */
  read<R = Row>(context: Context, sql: string, values: readonly Parameter[] = [], settings?: string): Promise<R[]> {
    return this.#retrying(true, async (connection) => {
      const { rows } = await this.#pipelined<R>(connection, context, sql, values, settings);
      return rows;
    });
  }

  /** One statement that writes: one round trip. Durable when it resolves. */
  write<R = Row>(context: Context, sql: string, values: readonly Parameter[] = []): Promise<PostgresResult<R>> {
    return this.#retrying(false, (connection) => this.#pipelined<R>(connection, context, sql, values));
  }

  /**
   * Several statements. `work` may run more than once, because what collides with somebody else's is tried again: it has
   * no effects but through its transaction. Durable when it resolves; what `work` throws leaves nothing behind. Where it is
   * unbounded, a statement may take as long as it takes, because there is no doing it in parts.
   */
  transaction<T>(
    context: Context,
    work: (transaction: PostgresTransaction) => Promise<T>,
    { isUnbounded = false }: { readonly isUnbounded?: boolean } = {},
  ): Promise<T> {
    const timeoutMs = isUnbounded ? 0 : this.#timeoutMs;
    return this.#retrying(false, (connection) => this.#guarded(this.#run(connection, context, work, timeoutMs)));
  }

  /** Throws `UNAVAILABLE` or `PROVIDER_ERROR`. Says so when the answer took long, be it for want of a connection. */
  async check(): Promise<string | undefined> {
    const started = this.#clock.now();
    try {
      await this.#soon(this.#attempt((connection) => connection.query('SELECT 1', [], SIGN_OF_LIFE_MS)));
    } catch (error) {
      throw translated(causeOf(error));
    }
    const took = this.#clock.now() - started;
    return took < SLOW_MS ? undefined : `The database took ${took} ms to answer.`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#driver.close();
  }

  /** What was begun is always ended, whatever becomes of the statement. */
  #pipelined<R>(
    connection: PostgresConnection,
    context: Context,
    sql: string,
    values: readonly Parameter[],
    settings?: string,
  ): Promise<PostgresResult<R>> {
    const patience = patienceFor(this.#timeoutMs);
    const statements = this.#first(context, this.#timeoutMs);
    if (settings !== undefined) statements.push({ sql: settings, values: [] });
    statements.push({ sql, values });
    return this.#guarded(
      connection.transact
        ? connection.transact<R>(statements, patience)
        : oneByOne<R>(connection, statements, patience),
    );
  }

  async #run<T>(
    connection: PostgresConnection,
    context: Context,
    work: (transaction: PostgresTransaction) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const sending = new PostgresSending(connection, this.#first(context, timeoutMs), patienceFor(timeoutMs));
    let isCommitting = false;
    try {
      const value = await work(sending);
      isCommitting = true;
      await sending.commit();
      return value;
    } catch (error) {
      const cause = await sending.rollBack(error);
      throw isLost(cause) && !isCommitting ? new Undone(cause) : cause;
    }
  }

  /** What a transaction begins with: for whom it is, and whether one may who has no master key. */
  #first({ tenantId = '', userId = '', purpose = '' as Purpose }: Context, timeoutMs: number): Statement[] {
    const values = [tenantId, userId, this.#refusesSealed ? GUARDED : purpose, String(timeoutMs)];
    const traceparent = this.#traceparent?.();
    const enter: Statement =
      traceparent === undefined
        ? { sql: ENTER, values }
        : { sql: ENTER_TRACED, values: [...values, `lamina ${traceparent}`] };
    return this.#refusesSealed ? [enter, { sql: GUARD, values: [purpose] }] : [enter];
  }

  #guarded<T>(answer: Promise<T>): Promise<T> {
    return this.#refusesSealed ? guarded(answer) : answer;
  }

  /** Throws when it has not come about in time. */
  #soon<T>(promise: Promise<T>): Promise<T> {
    return inTime(promise, SIGN_OF_LIFE_MS, () => Object.assign(new Error('No answer'), { code: 'ETIMEDOUT' }));
  }

  /** A write whose connection was lost may have been committed: it is not tried again, and the caller is told. */
  async #retrying<T>(isRead: boolean, attempt: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const deadline = this.#clock.now() + MAX_RECONNECT_MS;
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#attempt(attempt);
      } catch (error) {
        const helps = isCollision(error)
          ? tried < MAX_ATTEMPTS
          : isLost(error) && (isRead || error instanceof Undone) && this.#clock.now() < deadline;
        if (!helps || this.#isClosed) throw isRead ? translated(causeOf(error)) : answerTo(error);
      }
      // Those who met must not meet again in step.
      await this.#clock.sleep(Math.ceil(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** tried)));
    }
  }

  async #attempt<T>(attempt: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LaminaError('UNAVAILABLE', 'The memory has been closed.');
    const connection = await this.#driver.reserve().catch((error: unknown) => {
      throw new Undone(error);
    });
    let spoiled = false;
    try {
      return await attempt(connection);
    } catch (error) {
      spoiled = isLost(error);
      throw error;
    } finally {
      connection.release(spoiled);
    }
  }
}

/** No connection was to be had, or it was lost before anything was to be committed: nothing can have happened. */
class Undone extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super('Nothing was done', { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Undone ? error.cause : error;
}

/** To a write. */
function answerTo(error: unknown): unknown {
  return isLost(error) && !(error instanceof Undone) ? uncertain(error) : translated(causeOf(error));
}

/** A transaction, each statement sent by itself, answered as the last one is. */
async function oneByOne<R>(
  connection: PostgresConnection,
  statements: readonly Statement[],
  patienceMs: number | undefined,
): Promise<PostgresResult<R>> {
  const begun = connection.query('BEGIN', undefined, patienceMs);
  const answers = statements.map(({ sql, values }) => connection.query<R>(sql, values, patienceMs));
  const ended = connection.query('COMMIT', undefined, patienceMs);
  await settled([begun, ...answers, ended]);
  return (await answers.at(-1)) ?? { rows: [], count: 0 };
}

/** Undefined where it may take as long as it takes. */
function patienceFor(timeoutMs: number): number | undefined {
  return timeoutMs === 0 ? undefined : timeoutMs + PATIENCE_MS;
}
