/** What an erasure counts, by the tables that it is in: the same names on every SQL engine. */

import type { ErasureCounts } from '../../domain/erasure.ts';

/** Undefined for what is no row of its own. */
export const COUNTED_TABLES: { readonly [Name in keyof ErasureCounts]: string | undefined } = {
  entries: 'entries',
  versions: 'entry_versions',
  embeddings: 'embeddings',
  events: 'events',
  state: 'state',
  plans: 'plans',
  planContexts: 'plan_context',
  taskContexts: 'task_context',
  sessions: 'sessions',
  apiKeys: 'api_keys',
  pools: 'pools',
  contexts: 'contexts',
  contextSnapshots: 'context_snapshots',
  contextAccesses: 'context_accesses',
  facts: 'facts',
  maintenanceRuns: 'maintenance_runs',
  users: 'users',
  auditEntries: 'audit_log',
  mentions: undefined,
};

export function plus(counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts {
  const sum = { ...counts };
  for (const name of Object.keys(more) as (keyof ErasureCounts)[]) sum[name] += more[name] ?? 0;
  return sum;
}
