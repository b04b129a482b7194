/** Facts in SQLite: every call finds its tenant's file and hands over to it. */

import type { Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EdgeQuery, FactQuery, FactStore, FactTransaction } from '../../ports/fact-store.ts';
import { SqliteFactReader } from './sqlite-fact-reader.ts';
import { SqliteFactTransaction } from './sqlite-fact-transaction.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteFacts implements FactStore {
  readonly #tenants: SqliteTenants;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  transaction<T>({ tenantId, userId }: Principal, work: (tx: FactTransaction) => Promise<T>): Promise<T> {
    return this.#tenants.use(tenantId, (tenant) =>
      tenant.writeAs(userId, (connection) => work(new SqliteFactTransaction(connection, () => tenant.noteRemoval()))),
    );
  }

  find(principal: Principal, id: string): Promise<Fact | null> {
    return this.#read(principal, (reader) => reader.find(id), null);
  }

  list(principal: Principal, query: FactQuery): Promise<Fact[]> {
    return this.#read(principal, (reader) => reader.list(query), []);
  }

  edges(principal: Principal, query: EdgeQuery): Promise<Fact[]> {
    return this.#read(principal, (reader) => reader.edges(query), []);
  }

  #read<T>(principal: Principal, read: (reader: SqliteFactReader) => T, nothing: T): Promise<T> {
    return this.#tenants.read(
      principal,
      ({ connection }) => read(new SqliteFactReader(connection)),
      () => nothing,
    );
  }
}
