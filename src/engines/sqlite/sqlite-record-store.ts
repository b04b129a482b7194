/** Records in SQLite: one implementation for every kind, by its table. */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Draft, Recorded, RecordQuery, RecordStore, RecordStores, Where } from '../../ports/record-store.ts';
import type { RecordTable } from '../sql/record-table.ts';
import { API_KEYS, PLAN_CONTEXTS, PLANS, SESSIONS, TASK_CONTEXTS } from '../sql/record-tables.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { cellsOf, recordOf, type Cell } from './sqlite-record-row.ts';
import { LINK, NEXT_VERSION, SqliteRecordStatements, UNLINK } from './sqlite-record-statements.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

type Row = Readonly<Record<string, Cell>>;

export function sqliteRecordStores(tenants: SqliteTenants): RecordStores {
  return {
    plans: new SqliteRecordStore(tenants, PLANS),
    planContexts: new SqliteRecordStore(tenants, PLAN_CONTEXTS),
    sessions: new SqliteRecordStore(tenants, SESSIONS),
    taskContexts: new SqliteRecordStore(tenants, TASK_CONTEXTS),
    apiKeys: new SqliteRecordStore(tenants, API_KEYS),
  };
}

class SqliteRecordStore<R extends Recorded> implements RecordStore<R> {
  readonly #tenants: SqliteTenants;
  readonly #table: RecordTable<R>;
  readonly #sql: SqliteRecordStatements<R>;

  constructor(tenants: SqliteTenants, table: RecordTable<R>) {
    this.#tenants = tenants;
    this.#table = table;
    this.#sql = new SqliteRecordStatements(table);
  }

  create(principal: Principal, draft: Draft<R>): Promise<R | null> {
    return this.#write(principal, (connection) => {
      const record = versioned(connection, draft);
      if (connection.run(this.#sql.insert, ...cellsOf(this.#table, record)).changes === 0) return null;
      this.#link(connection, record);
      return this.#select(connection, principal, this.#keyOf(record));
    });
  }

  get(principal: Principal, key: string): Promise<R | null> {
    return this.#read(principal, null, (connection) => this.#select(connection, principal, key));
  }

  findByLink(principal: Principal, link: string): Promise<R | null> {
    return this.#read(principal, null, (connection) => {
      const row = connection.first<Row>(this.#sql.selectByLink, link, principal.userId);
      return row === undefined ? null : recordOf(this.#table, row);
    });
  }

  async change(principal: Principal, key: string, change: (current: R) => Draft<R>): Promise<R | null> {
    // What is not there must not cost a transaction, nor make a file for a tenant that has none.
    if ((await this.get(principal, key)) === null) return null;
    return this.#write(principal, (connection) => {
      const current = this.#select(connection, principal, key);
      if (current === null) return null;
      const record = versioned(connection, change(current));
      connection.run(this.#sql.update, ...cellsOf(this.#table, record), key);
      if (JSON.stringify(this.#linksOf(record)) !== JSON.stringify(this.#linksOf(current))) {
        this.#unlink(connection, key);
        this.#link(connection, record);
      }
      return this.#select(connection, principal, key);
    });
  }

  async remove(principal: Principal, key: string, check?: (current: R) => void): Promise<R | null> {
    if ((await this.get(principal, key)) === null) return null;
    return this.#write(principal, (connection) => {
      const current = this.#select(connection, principal, key);
      if (current === null) return null;
      check?.(current);
      this.#delete(connection, key);
      return current;
    });
  }

  async removeAll(principal: Principal, where: Where<R>): Promise<number> {
    if (Object.values(where).every((values) => values === undefined)) {
      throw new LaminaError('VALIDATION_FAILED', 'To remove records, say which.');
    }
    const { sql, values } = this.#sql.selectKeys(principal.userId, where);
    const select = (connection: SqliteConnection): { key: string }[] => connection.all(sql, ...values);
    if ((await this.#read(principal, [], select)).length === 0) return 0;
    return this.#write(principal, (connection) => {
      const keys = select(connection);
      for (const { key } of keys) this.#delete(connection, key);
      return keys.length;
    });
  }

  list(principal: Principal, query: RecordQuery<R>): Promise<R[]> {
    return this.#read(principal, [], (connection) => {
      const { sql, values } = this.#sql.list(principal.userId, query);
      return connection.all<Row>(sql, ...values).map((row) => recordOf(this.#table, row));
    });
  }

  #read<T>(principal: Principal, nothing: T, read: (connection: SqliteConnection) => T): Promise<T> {
    return this.#tenants.read(
      principal,
      (tenant) => read(tenant.connection),
      () => nothing,
    );
  }

  #write<T>(principal: Principal, write: (connection: SqliteConnection) => T): Promise<T> {
    return this.#tenants.use(principal.tenantId, (tenant) => tenant.writeAs(principal.userId, write));
  }

  #select(connection: SqliteConnection, principal: Principal, key: string): R | null {
    const row = connection.first<Row>(this.#sql.selectByKey, key, principal.userId);
    return row === undefined ? null : recordOf(this.#table, row);
  }

  #delete(connection: SqliteConnection, key: string): void {
    connection.run(this.#sql.delete, key);
    this.#unlink(connection, key);
  }

  #link(connection: SqliteConnection, record: R): void {
    const links = this.#linksOf(record);
    if (links.length > 0) connection.run(LINK, this.#table.name, this.#keyOf(record), JSON.stringify(links));
  }

  #unlink(connection: SqliteConnection, key: string): void {
    if (this.#table.links !== undefined) connection.run(UNLINK, this.#table.name, key);
  }

  #linksOf(record: R): readonly string[] {
    return this.#table.links === undefined ? [] : (record[this.#table.links] as readonly string[]);
  }

  #keyOf(record: R): string {
    return String(record[this.#table.key]);
  }
}

function versioned<R extends Recorded>(connection: SqliteConnection, draft: Draft<R>): R {
  const version = connection.first<{ version: number }>(NEXT_VERSION)?.version;
  return { ...draft, version } as unknown as R;
}
