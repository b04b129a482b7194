/** The tables that an archive counts, told once for every SQL engine. */

import type { Tallies } from '../../domain/archive.ts';

/** Each with what there is to add up of its rows. */
export const TALLIED_TABLES: { readonly [Name in keyof Tallies]: readonly [table: string, revisions: string] } = {
  users: ['users', '0'],
  entries: ['entries', 'version'],
  versions: ['entry_versions', 'version'],
  state: ['state', 'version'],
  plans: ['plans', 'version'],
  planContexts: ['plan_context', 'version'],
  sessions: ['sessions', 'version'],
  taskContexts: ['task_context', 'version'],
  apiKeys: ['api_keys', 'version'],
  pools: ['pools', 'version'],
  contexts: ['contexts', 'version'],
  contextSnapshots: ['context_snapshots', 'version'],
  contextAccesses: ['context_accesses', 'version'],
  maintenanceRuns: ['maintenance_runs', 'version'],
  facts: ['facts', 'version'],
  auditEntries: ['audit_log', '0'],
  embeddings: ['embeddings', '0'],
};
