/** Records in SQLite: in the file of their tenant. */

import type { Principal } from '../../domain/principal.ts';
import type { RecordStores } from '../../ports/record-store.ts';
import type { Statement } from '../sql/record-statements.ts';
import {
  sqlRecordStores,
  type RecordDatabase,
  type RecordRow,
  type RecordTransaction,
} from '../sql/sql-record-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { boundValues, SQLITE_RECORDS } from './sqlite-record-dialect.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const NEXT_VERSION = 'UPDATE record_clock SET version = version + 1 WHERE id = 1';

export function sqliteRecordStores(tenants: SqliteTenants): RecordStores {
  return sqlRecordStores(new SqliteRecordDatabase(tenants));
}

class SqliteRecordDatabase implements RecordDatabase {
  readonly dialect = SQLITE_RECORDS;
  readonly #tenants: SqliteTenants;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  read(principal: Principal, statement: Statement): Promise<readonly RecordRow[]> {
    return this.#tenants.read<readonly RecordRow[]>(
      principal,
      ({ connection }) => run(connection, statement),
      () => [],
    );
  }

  /** What is not there must not cost a transaction, nor make a file for a tenant that has none. */
  async mayFind(principal: Principal, statement: Statement): Promise<boolean> {
    return (await this.read(principal, statement)).length > 0;
  }

  write<T>(principal: Principal, work: (transaction: RecordTransaction) => Promise<T>): Promise<T> {
    return this.#tenants.use(principal.tenantId, (tenant) =>
      tenant.writeAs(principal.userId, (connection) => {
        connection.run(NEXT_VERSION);
        return work(transactionOn(connection));
      }),
    );
  }

  removed({ tenantId }: Principal): void {
    this.#tenants.peek(tenantId)?.foldSoon();
  }
}

/** Whoever writes is entered with the write as a whole; see {@link SqliteTenant.writeAs}. */
function transactionOn(connection: SqliteConnection): RecordTransaction {
  return {
    query: async (statement) => run(connection, statement),
    send: (statement) => void connection.run(statement.sql, ...boundValues(statement)),
    enter: () => {},
  };
}

function run(connection: SqliteConnection, statement: Statement): RecordRow[] {
  return connection.all<RecordRow>(statement.sql, ...boundValues(statement));
}
