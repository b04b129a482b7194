/** Facts as a collection of an archive in PostgreSQL. */

import type { Fact } from '../../domain/fact.ts';
import { archivePage } from '../sql/archive-page.ts';
import { audienceOf } from '../sql/fact-row.ts';
import { keyIn, type PostgresCollection } from './postgres-archive-collections.ts';
import { readFact, scopeRows, writtenRows, type PostgresFactRow } from './postgres-fact-row.ts';
import { OPEN_SCOPES, RESTORE_FACTS, SELECT_LAST, SELECT_PAGE } from './postgres-fact-statements.ts';

export const ARCHIVED_FACTS: PostgresCollection<Fact> = {
  read: async (ask, { tenantId, limit, after }) => {
    const rows = await ask<PostgresFactRow>(SELECT_PAGE, [tenantId, keyIn(after), limit]);
    return archivePage(rows.map(readFact), ({ factId }) => [factId]);
  },
  end: async (ask, tenantId) => {
    const [last] = await ask<{ fact_id: string }>(SELECT_LAST, [tenantId]);
    return last && [last.fact_id];
  },
  write: async ({ transaction, enter, tenantId }, items) => {
    for (const userId of new Set(items.map(audienceOf))) enter(userId);
    transaction.send(OPEN_SCOPES, [tenantId, scopeRows(items)]);
    await transaction.query(RESTORE_FACTS, [writtenRows(items)]);
  },
};
