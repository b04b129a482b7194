/** Effect's SQL client over SQLite, as little of one as the storage of its cluster needs: messages then outlive a process. */

import Database from 'better-sqlite3';
import { Effect, Layer, Semaphore, Stream } from 'effect';
import { Digest, WebCrypto } from 'effect/crypto';
import { Reactivity } from 'effect/reactivity';
import { SqlClient, SqlError, Statement, type SqlConnection } from 'effect/sql';

export const sqliteLayer = (file: string): Layer.Layer<SqlClient.SqlClient | Digest.Digest> =>
  Layer.effect(SqlClient.SqlClient, clientOf(file)).pipe(
    Layer.provide(Reactivity.layer),
    Layer.merge(Digest.layerWebCrypto.pipe(Layer.provide(WebCrypto.layer(globalThis.crypto)))),
  );

const clientOf = (file: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(file)),
      (opened) => Effect.sync(() => opened.close()),
    );
    database.pragma('journal_mode = WAL');
    const connection = connectionOver(database);
    // There is one connection: who is in a transaction has it alone.
    const turn = yield* Semaphore.make(1);
    const taken = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(turn.take(1));
        yield* Effect.addFinalizer(() => turn.release(1));
        return connection;
      }),
    );
    return yield* SqlClient.make({
      acquirer: turn.withPermits(1)(Effect.succeed(connection)),
      transactionAcquirer: taken,
      compiler: Statement.makeCompilerSqlite(),
      driver: 'better-sqlite3',
      spanAttributes: [],
    });
  });

function connectionOver(database: Database.Database): SqlConnection.Connection {
  const run = <A>(work: () => A): Effect.Effect<A, SqlError.SqlError> =>
    Effect.try({
      try: work,
      catch: (cause) =>
        new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message: String(cause) }) }),
    });
  const rows = (sql: string, params: readonly unknown[], isRaw = false): unknown[] => {
    const statement = database.prepare(sql);
    if (statement.reader) return (isRaw ? statement.raw() : statement).all(...params.map(bound));
    statement.run(...params.map(bound));
    return [];
  };
  const execute: SqlConnection.Connection['execute'] = (sql, params, transform) =>
    Effect.map(
      run(() => rows(sql, params)),
      (found) => (transform ? transform(found as object[]) : found),
    );
  const values: SqlConnection.Connection['executeValues'] = (sql, params) =>
    run(() => rows(sql, params, true) as unknown[][]);
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => run(() => rows(sql, params)),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: () => Stream.die('Nobody asks for this.'),
  };
}

function bound(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value) : (value ?? null);
}
