/** Facts as a collection of an archive in a tenant's file. */

import type { Fact } from '../../domain/fact.ts';
import { archivePage } from '../sql/archive-page.ts';
import type { SqliteCollection } from './sqlite-archive-collections.ts';
import { idOf, SqliteFactReader } from './sqlite-fact-reader.ts';
import { SqliteFactTransaction } from './sqlite-fact-transaction.ts';

const SELECT_LAST = 'SELECT fact_id AS factId FROM facts ORDER BY fact_id DESC LIMIT 1';

export const ARCHIVED_FACTS: SqliteCollection<Fact> = {
  read: (connection, limit, [after]) => {
    const facts = new SqliteFactReader(connection).page(limit, after === undefined ? undefined : String(after));
    return archivePage(facts, ({ factId }) => [factId]);
  },
  end: (connection) => {
    const last = connection.first<{ factId: Buffer }>(SELECT_LAST);
    return last && [idOf(last.factId)];
  },
  write: (connection, items) => new SqliteFactTransaction(connection).restore(items),
};
