/** The SQL of a kind of record, made from its table. Values are always bound, never spelled out. */

import type { Principal } from '../../domain/principal.ts';
import type { Draft, Recorded, RecordQuery, Relation, Where } from '../../ports/record-store.ts';
import { cellOf, type Cell } from './record-row.ts';
import { columnEntries, columnOf, type ColumnType, type RecordTable } from './record-table.ts';

/** What is bound to a `?`. How a list is bound is the engine's business: see {@link RecordDialect.list}. */
export type Bound = Cell | readonly Cell[];

export interface Statement {
  readonly sql: string;
  readonly values: readonly Bound[];
}

/** What engines say differently. */
export interface RecordDialect {
  readonly schema: string;
  /** The placeholder of the tenant's id, where tables hold many tenants and tell them apart by `tenant_id`. */
  readonly tenant: string | undefined;
  /** Gives a version that none had before. */
  readonly nextVersion: string;
  /** What follows a selection that is to be changed in the same transaction. */
  readonly forUpdate: string;
  /** What a column holds as it is read, which {@link recordOf} understands. */
  read(value: string, column: string, type: ColumnType): string;
  /** A list that is bound, as a table with the column `value`. */
  list(type: ColumnType): string;
  /** Whether a column with a list of users has the one that is bound, or the empty id. */
  hasMember(column: string): string;
  /** Whether it has the very one that is bound. */
  hasName(column: string): string;
}

type OfTenant = Pick<Principal, 'tenantId'>;

type BoundColumn<R extends Recorded> = readonly [field: keyof Draft<R>, column: string, type: ColumnType];

export class RecordStatements<R extends Recorded> {
  readonly #table: RecordTable<R>;
  readonly #dialect: RecordDialect;
  readonly #name: string;
  readonly #links: string;
  readonly #key: string;
  /** All columns, as they are read, and as they are read from what a statement wrote, which knows no alias. */
  readonly #read: string;
  readonly #returning: string;
  /** The columns that are bound: all but the version. */
  readonly #bound: readonly BoundColumn<R>[];

  constructor(table: RecordTable<R>, dialect: RecordDialect) {
    const columns = columnEntries(table).map(([field, type]) => [field, columnOf(field), type] as const);
    this.#table = table;
    this.#dialect = dialect;
    this.#name = dialect.schema + table.name;
    this.#links = `${dialect.schema}record_links`;
    this.#key = columnOf(table.key);
    this.#read = columns.map(([, column, type]) => dialect.read(`r.${column}`, column, type)).join(', ');
    this.#returning = columns.map(([, column, type]) => dialect.read(column, column, type)).join(', ');
    this.#bound = columns.filter(([field]) => field !== 'version') as BoundColumn<R>[];
  }

  /** Gives the record back, or nothing where the key is taken. */
  insert(tenant: OfTenant, draft: Draft<R>): Statement {
    return this.#insert(tenant, draft, { sql: this.#dialect.nextVersion, values: [] });
  }

  /** The same with the version that it has, for a record that comes from elsewhere. */
  insertAsItIs(tenant: OfTenant, record: R): Statement {
    return this.#insert(tenant, record, { sql: '?', values: [record.version] });
  }

  #insert({ tenantId }: OfTenant, draft: Draft<R>, version: Statement): Statement {
    const { tenant } = this.#dialect;
    const columns = [...(tenant === undefined ? [] : ['tenant_id']), 'version', ...this.#bound.map(([, name]) => name)];
    const places = [...(tenant === undefined ? [] : [tenant]), version.sql, ...this.#bound.map(() => '?')];
    return {
      sql: `
        INSERT INTO ${this.#name} AS r (${columns.join(', ')}) VALUES (${places.join(', ')})
        ON CONFLICT DO NOTHING RETURNING ${this.#returning}`,
      values: [...this.#tenantValues(tenantId), ...version.values, ...this.#cells(draft)],
    };
  }

  /** Gives the record back. */
  update(principal: Principal, key: string, draft: Draft<R>): Statement {
    const own = this.#own(principal, [{ sql: `r.${this.#key} = ?`, values: [key] }]);
    const settings = this.#bound.map(([, column]) => `${column} = ?`).join(', ');
    return {
      sql: `
        UPDATE ${this.#name} AS r SET version = ${this.#dialect.nextVersion}, ${settings}
        WHERE ${own.sql} RETURNING ${this.#returning}`,
      values: [...this.#cells(draft), ...own.values],
    };
  }

  /** The same record, stored otherwise: it keeps its version. */
  rewrite(tenant: OfTenant, record: R): Statement {
    const { sql, values } = this.#ofTenant(tenant, 'r', [
      { sql: `r.${this.#key} = ?`, values: [String(record[this.#table.key])] },
      { sql: 'r.version = ?', values: [record.version] },
    ]);
    const settings = this.#bound.map(([, column]) => `${column} = ?`).join(', ');
    return {
      sql: `UPDATE ${this.#name} AS r SET ${settings} WHERE ${sql}`,
      values: [...this.#cells(record), ...values],
    };
  }

  select(principal: Principal, key: string): Statement {
    const { sql, values } = this.#visible(principal, [{ sql: `r.${this.#key} = ?`, values: [key] }]);
    return { sql: `SELECT ${this.#read} FROM ${this.#name} AS r WHERE ${sql}`, values };
  }

  selectToChange(principal: Principal, key: string): Statement {
    const { sql, values } = this.#own(principal, [{ sql: `r.${this.#key} = ?`, values: [key] }]);
    return { sql: `SELECT ${this.#read} FROM ${this.#name} AS r WHERE ${sql}${this.#dialect.forUpdate}`, values };
  }

  selectByLink(principal: Principal, link: string): Statement {
    const isLinked = this.#ofTenant(principal, 'l', [{ sql: 'l.link = ?', values: [link] }]);
    const { sql, values } = this.#visible(principal, [isLinked]);
    // An id that several records list is the newest one's: the others are what an earlier attempt left.
    return {
      sql: `
        SELECT ${this.#read} FROM ${this.#links} AS l JOIN ${this.#name} AS r ON r.${this.#key} = l.key
        WHERE l.collection = '${this.#table.name}' AND ${sql}
        ORDER BY r.created_at DESC, r.version DESC LIMIT 1`,
      values,
    };
  }

  /**
   * Each combination of values has its own order in an index, so each is asked for a page, and the pages are merged in
   * the same statement: the few plans that are active must not cost a walk over the many that are finished. What one
   * owns and what one sees besides are two such orders.
   */
  list(principal: Principal, { where, relation, after, limit }: RecordQuery<R>): Statement {
    const at = columnOf(this.#table.order);
    const newestFirst = `ORDER BY ${at} DESC, ${this.#key} DESC LIMIT ?`;
    const position: Statement[] =
      after === undefined
        ? []
        : [{ sql: `(r.${at}, r.${this.#key}) < (?, ?)`, values: [Date.parse(after.at), after.key] }];
    const choices = combinationsOf(where).flatMap((single) => {
      const conditions = [...this.#conditions(single), ...position];
      const own = relation === undefined || relation === 'owner' ? [this.#own(principal, conditions)] : [];
      return relation === 'owner' ? own : [...own, ...this.#others(principal, relation, conditions)];
    });
    const pages = choices.map(({ sql, values }, index) => {
      const page = `SELECT ${this.#read} FROM ${this.#name} AS r WHERE ${sql} ${newestFirst}`;
      return { sql: `SELECT * FROM (${page}) AS page_${index}`, values: [...values, limit] };
    });
    return {
      sql: `${pages.map(({ sql }) => sql).join(' UNION ALL ')} ${newestFirst}`,
      values: [...pages.flatMap(({ values }) => values), limit],
    };
  }

  /** Gives the key of each that is there. */
  selectKeys(principal: Principal, where: Where<R>): Statement {
    const { sql, values } = this.#own(principal, this.#conditions(where));
    return { sql: `SELECT r.${this.#key} AS key FROM ${this.#name} AS r WHERE ${sql}`, values };
  }

  /** Gives the key of each that was removed. */
  remove(principal: Principal, where: Where<R>): Statement {
    const { sql, values } = this.#own(principal, this.#conditions(where));
    return { sql: `DELETE FROM ${this.#name} AS r WHERE ${sql} RETURNING ${this.#key} AS key`, values };
  }

  link({ tenantId }: OfTenant, key: string, links: readonly string[]): Statement {
    const { tenant } = this.#dialect;
    return {
      sql: `
        INSERT INTO ${this.#links} (${tenant === undefined ? '' : 'tenant_id, '}collection, link, key)
        SELECT ${tenant === undefined ? '' : `${tenant}, `}'${this.#table.name}', value, ? FROM ${this.#dialect.list('text')}
        WHERE true ON CONFLICT DO NOTHING`,
      values: [...this.#tenantValues(tenantId), key, links],
    };
  }

  unlink(tenant: OfTenant, keys: readonly string[]): Statement {
    const inKeys = `l.key IN (SELECT value FROM ${this.#dialect.list('text')})`;
    const { sql, values } = this.#ofTenant(tenant, 'l', [{ sql: inKeys, values: [keys] }]);
    return { sql: `DELETE FROM ${this.#links} AS l WHERE l.collection = '${this.#table.name}' AND ${sql}`, values };
  }

  #cells(draft: Draft<R>): Cell[] {
    return this.#bound.map(([field, , type]) => cellOf(type, draft[field]));
  }

  #conditions(where: Where<R>): Statement[] {
    return columnEntries(this.#table).flatMap(([field, type]): Statement[] => {
      const wanted = where[field]?.map((value: unknown) => cellOf(type, value));
      if (wanted === undefined) return [];
      const [only] = wanted;
      const column = `r.${columnOf(field)}`;
      if (wanted.length === 1 && only !== undefined) return [{ sql: `${column} = ?`, values: [only] }];
      return [{ sql: `${column} IN (SELECT value FROM ${this.#dialect.list(type)})`, values: [wanted] }];
    });
  }

  /** All of these hold for a record of the tenant, and of the user where the kind has an owner. */
  #own(principal: Principal, conditions: readonly Statement[]): Statement {
    const { owner } = this.#table;
    const isOwn = owner === undefined ? [] : [{ sql: `r.${columnOf(owner)} = ?`, values: [principal.userId] }];
    return this.#ofTenant(principal, 'r', [...isOwn, ...conditions]);
  }

  /** The same for what the user sees, though it is another's: nothing where the kind has no members. */
  #others(
    principal: Principal,
    relation: Exclude<Relation, 'owner'> | undefined,
    conditions: readonly Statement[],
  ): Statement[] {
    const { owner, members } = this.#table;
    if (owner === undefined || members === undefined) return [];
    const isAnothers = { sql: `r.${columnOf(owner)} <> ?`, values: [principal.userId] };
    const isSeen = this.#seenAs(`r.${columnOf(members)}`, principal.userId, relation);
    return [this.#ofTenant(principal, 'r', [isAnothers, isSeen, ...conditions])];
  }

  #seenAs(column: string, userId: string, relation: Exclude<Relation, 'owner'> | undefined): Statement {
    if (relation === undefined) return { sql: this.#dialect.hasMember(column), values: [userId] };
    const [hasAny, hasName] = [`${column} <> '[]'`, this.#dialect.hasName(column)];
    if (relation === 'member') return { sql: `${hasAny} AND ${hasName}`, values: [userId] };
    return { sql: `${hasAny} AND ${hasName} AND NOT ${hasName}`, values: ['', userId] };
  }

  /** All of these hold for a record that the user sees. */
  #visible(principal: Principal, conditions: readonly Statement[]): Statement {
    const { owner, members } = this.#table;
    if (owner === undefined || members === undefined) return this.#own(principal, conditions);
    const isMember = this.#dialect.hasMember(`r.${columnOf(members)}`);
    const isSeen = { sql: `(r.${columnOf(owner)} = ? OR (${isMember}))`, values: [principal.userId, principal.userId] };
    return this.#ofTenant(principal, 'r', [isSeen, ...conditions]);
  }

  #ofTenant({ tenantId }: OfTenant, alias: string, conditions: readonly Statement[]): Statement {
    const { tenant } = this.#dialect;
    const isOfTenant = tenant === undefined ? [] : [{ sql: `${alias}.tenant_id = ${tenant}`, values: [tenantId] }];
    const all: readonly Statement[] = [...isOfTenant, ...conditions];
    return {
      sql: all.length === 0 ? 'true' : all.map(({ sql }) => sql).join(' AND '),
      values: all.flatMap(({ values }) => values),
    };
  }

  #tenantValues(tenantId: string): Cell[] {
    return this.#dialect.tenant === undefined ? [] : [tenantId];
  }
}

/** Every way to choose one value for each field; the same as they are where a field has no values to choose from. */
function combinationsOf<R>(where: Where<R>): Where<R>[] {
  const entries = Object.entries(where) as [string, readonly unknown[] | undefined][];
  return entries.reduce<Where<R>[]>(
    (chosen, [field, values]) => {
      const choices = values === undefined || values.length < 2 ? [values] : [...new Set(values)].map((each) => [each]);
      return chosen.flatMap((each) => choices.map((choice) => ({ ...each, [field]: choice })));
    },
    [{}],
  );
}
