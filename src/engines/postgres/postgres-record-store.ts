/** Records in PostgreSQL: the tenant and the owner are named by each statement, and held by the policies as well. */

import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordStores } from '../../ports/record-store.ts';
import type { Statement } from '../sql/record-statements.ts';
import {
  sqlRecordStores,
  type RecordDatabase,
  type RecordRow,
  type RecordTransaction,
} from '../sql/sql-record-store.ts';
import { contextOf, type Context, type PostgresDatabase, type Purpose } from './postgres-database.ts';
import { boundParameters, numbered, POSTGRES_RECORDS } from './postgres-record-dialect.ts';
import { usersOf, type PostgresUsers } from './postgres-users.ts';

export function postgresRecordStores(database: PostgresDatabase, clock: Clock): RecordStores {
  return sqlRecordStores(
    new PostgresRecordDatabase(database, clock),
    new PostgresRecordDatabase(database, clock, 'administration'),
  );
}

class PostgresRecordDatabase implements RecordDatabase {
  readonly dialect = POSTGRES_RECORDS;
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #clock: Clock;
  readonly #purpose: Purpose | undefined;

  constructor(database: PostgresDatabase, clock: Clock, purpose?: Purpose) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#clock = clock;
    this.#purpose = purpose;
  }

  read(principal: Principal, statement: Statement): Promise<RecordRow[]> {
    return this.#database.read<RecordRow>(this.#contextOf(principal), numbered(statement), boundParameters(statement));
  }

  /** To look would be a round trip; a transaction that finds nothing leaves nothing behind. */
  mayFind(): Promise<boolean> {
    return Promise.resolve(true);
  }

  write<T>(principal: Principal, work: (transaction: RecordTransaction) => Promise<T>): Promise<T> {
    return this.#users.transaction(this.#contextOf(principal), this.#clock.now(), (transaction, enter) =>
      work({
        query: async (statement) =>
          (await transaction.query<RecordRow>(numbered(statement), boundParameters(statement))).rows,
        send: (statement) => transaction.send(numbered(statement), boundParameters(statement)),
        enter,
      }),
    );
  }

  #contextOf(principal: Principal): Context {
    return { ...contextOf(principal), purpose: this.#purpose };
  }
}
