/** Facts in PostgreSQL: every call is one statement, or one transaction. */

import type { Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EdgeQuery, FactQuery, FactStore, FactTransaction } from '../../ports/fact-store.ts';
import { contextOf, type PostgresDatabase } from './postgres-database.ts';
import { readFact, type PostgresFactRow } from './postgres-fact-row.ts';
import { SELECT_BY_IDS, selectEdges, selectList } from './postgres-fact-statements.ts';
import { PostgresFactTransaction } from './postgres-fact-transaction.ts';
import type { Statement } from './postgres-statement.ts';
import { usersOf, type PostgresUsers } from './postgres-users.ts';

export class PostgresFacts implements FactStore {
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #clock: Clock;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#clock = clock;
  }

  transaction<T>(principal: Principal, work: (tx: FactTransaction) => Promise<T>): Promise<T> {
    return this.#users.transaction(contextOf(principal), this.#clock.now(), (transaction, enter) =>
      work(new PostgresFactTransaction(transaction, principal, enter)),
    );
  }

  async find(principal: Principal, id: string): Promise<Fact | null> {
    const [fact] = await this.#read(principal, { sql: SELECT_BY_IDS, values: [[id]] });
    return fact ?? null;
  }

  list(principal: Principal, query: FactQuery): Promise<Fact[]> {
    return this.#read(principal, selectList(query));
  }

  edges(principal: Principal, query: EdgeQuery): Promise<Fact[]> {
    return this.#read(principal, selectEdges(query));
  }

  async #read(principal: Principal, { sql, values }: Statement): Promise<Fact[]> {
    return (await this.#database.read<PostgresFactRow>(contextOf(principal), sql, values)).map(readFact);
  }
}
