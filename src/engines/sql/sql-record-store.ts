/** Records in a SQL database: one implementation for every kind and every engine. */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Draft, Recorded, RecordQuery, RecordStore, RecordStores, Where } from '../../ports/record-store.ts';
import { recordOf, type Cell } from './record-row.ts';
import { RecordStatements, type RecordDialect, type Statement } from './record-statements.ts';
import type { RecordTable } from './record-table.ts';
import {
  API_KEYS,
  CONTEXT_ACCESSES,
  CONTEXT_SNAPSHOTS,
  CONTEXTS,
  MAINTENANCE_RUNS,
  PLAN_CONTEXTS,
  PLANS,
  POOLS,
  SESSIONS,
  TASK_CONTEXTS,
} from './record-tables.ts';

export type RecordRow = Readonly<Record<string, Cell>>;

/** A transaction under way. */
export interface RecordTransaction {
  query(statement: Statement): Promise<readonly RecordRow[]>;
  /** The same without waiting for it. */
  send(statement: Statement): void;
  /** Makes sure that there is such a user, before whatever is asked for next. The empty id is nobody's. */
  enter(userId: string): void;
}

/** What an engine lends to its record stores. */
export interface RecordDatabase {
  readonly dialect: RecordDialect;
  read(principal: Principal, statement: Statement): Promise<readonly RecordRow[]>;
  /** False where it is known already that the statement finds nothing; an engine looks where that is cheap. */
  mayFind(principal: Principal, statement: Statement): Promise<boolean>;
  /** Durable when it resolves; what `work` throws leaves nothing behind. `work` may run more than once. */
  write<T>(principal: Principal, work: (transaction: RecordTransaction) => Promise<T>): Promise<T>;
  /** Told after something was removed, where an engine has more to do then. */
  removed?(principal: Principal): void;
}

/** Keys are the administrators' business, and are looked up before anybody is known: by a way of their own, if need be. */
export function sqlRecordStores(database: RecordDatabase, administration: RecordDatabase = database): RecordStores {
  return {
    plans: new SqlRecordStore(database, PLANS),
    planContexts: new SqlRecordStore(database, PLAN_CONTEXTS),
    sessions: new SqlRecordStore(database, SESSIONS),
    taskContexts: new SqlRecordStore(database, TASK_CONTEXTS),
    apiKeys: new SqlRecordStore(administration, API_KEYS),
    pools: new SqlRecordStore(database, POOLS),
    contexts: new SqlRecordStore(database, CONTEXTS),
    contextSnapshots: new SqlRecordStore(database, CONTEXT_SNAPSHOTS),
    contextAccesses: new SqlRecordStore(database, CONTEXT_ACCESSES),
    maintenanceRuns: new SqlRecordStore(administration, MAINTENANCE_RUNS),
  };
}

class SqlRecordStore<R extends Recorded> implements RecordStore<R> {
  readonly #database: RecordDatabase;
  readonly #table: RecordTable<R>;
  readonly #sql: RecordStatements<R>;

  constructor(database: RecordDatabase, table: RecordTable<R>) {
    this.#database = database;
    this.#table = table;
    this.#sql = new RecordStatements(table, database.dialect);
  }

  create(principal: Principal, draft: Draft<R>): Promise<R | null> {
    return this.#database.write(principal, async (transaction) => {
      transaction.enter(principal.userId);
      for (const userId of this.#namedIn(draft)) transaction.enter(userId);
      const record = this.#first(await transaction.query(this.#sql.insert(principal, draft)));
      if (record !== null) this.#link(transaction, principal, record);
      return record;
    });
  }

  async get(principal: Principal, key: string): Promise<R | null> {
    return this.#first(await this.#database.read(principal, this.#sql.select(principal, key)));
  }

  async findByLink(principal: Principal, link: string): Promise<R | null> {
    return this.#first(await this.#database.read(principal, this.#sql.selectByLink(principal, link)));
  }

  async change(principal: Principal, key: string, change: (current: R) => Draft<R>): Promise<R | null> {
    if (!(await this.#database.mayFind(principal, this.#sql.selectKeys(principal, this.#only(key))))) return null;
    return this.#database.write(principal, async (transaction) => {
      const current = this.#first(await transaction.query(this.#sql.selectToChange(principal, key)));
      if (current === null) return null;
      const draft = change(current);
      transaction.enter(principal.userId);
      const record = this.#first(await transaction.query(this.#sql.update(principal, key, draft)));
      if (record !== null && JSON.stringify(this.#linksOf(record)) !== JSON.stringify(this.#linksOf(current))) {
        transaction.send(this.#sql.unlink(principal, [key]));
        this.#link(transaction, principal, record);
      }
      return record;
    });
  }

  async remove(principal: Principal, key: string, check?: (current: R) => void): Promise<R | null> {
    if (!(await this.#database.mayFind(principal, this.#sql.selectKeys(principal, this.#only(key))))) return null;
    const removed = await this.#database.write(principal, async (transaction) => {
      const current = this.#first(await transaction.query(this.#sql.selectToChange(principal, key)));
      if (current === null) return null;
      check?.(current);
      transaction.enter(principal.userId);
      transaction.send(this.#sql.remove(principal, this.#only(key)));
      this.#unlink(transaction, principal, [key]);
      return current;
    });
    if (removed !== null) this.#database.removed?.(principal);
    return removed;
  }

  async removeAll(principal: Principal, where: Where<R>): Promise<number> {
    if (Object.values(where).every((values) => values === undefined)) {
      throw new LaminaError('VALIDATION_FAILED', 'To remove records, say which.');
    }
    if (!(await this.#database.mayFind(principal, this.#sql.selectKeys(principal, where)))) return 0;
    const count = await this.#database.write(principal, async (transaction) => {
      const removed = await transaction.query(this.#sql.remove(principal, where));
      if (removed.length === 0) return 0;
      transaction.enter(principal.userId);
      this.#unlink(
        transaction,
        principal,
        removed.map(({ key }) => String(key)),
      );
      return removed.length;
    });
    if (count > 0) this.#database.removed?.(principal);
    return count;
  }

  async list(principal: Principal, query: RecordQuery<R>): Promise<R[]> {
    const rows = await this.#database.read(principal, this.#sql.list(principal, query));
    return rows.map((row) => recordOf(this.#table, row));
  }

  #only(key: string): Where<R> {
    return { [this.#table.key]: [key] } as unknown as Where<R>;
  }

  #first(rows: readonly RecordRow[]): R | null {
    const [row] = rows;
    return row === undefined ? null : recordOf(this.#table, row);
  }

  #link(transaction: RecordTransaction, principal: Principal, record: R): void {
    const links = this.#linksOf(record);
    if (links.length > 0) transaction.send(this.#sql.link(principal, String(record[this.#table.key]), links));
  }

  #unlink(transaction: RecordTransaction, principal: Principal, keys: readonly string[]): void {
    if (this.#table.links !== undefined) transaction.send(this.#sql.unlink(principal, keys));
  }

  #linksOf(record: R): readonly string[] {
    return this.#table.links === undefined ? [] : (record[this.#table.links] as readonly string[]);
  }

  #namedIn(draft: Draft<R>): string[] {
    return this.#table.user === undefined ? [] : [String((draft as unknown as R)[this.#table.user])];
  }
}
