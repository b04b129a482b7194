/** Everything stored for a tenant, by collection: what a copy of a database contains, and how it is counted. */

/** In this order: later collections may refer to earlier ones. */
export const COLLECTIONS = [
  'users',
  'entries',
  'versions',
  'state',
  'plans',
  'planContexts',
  'sessions',
  'taskContexts',
  'apiKeys',
  'pools',
  'contexts',
  'contextSnapshots',
  'contextAccesses',
  'maintenanceRuns',
  'facts',
  'auditEntries',
] as const;

export type Collection = (typeof COLLECTIONS)[number];

/** What is counted: the collections, and the vectors that go with the entries. */
export const TALLIED = [...COLLECTIONS, 'embeddings'] as const;

export interface Tally {
  readonly count: number;
  /** The sum of their versions, so that a change shows too; 0 for items without versions. */
  readonly revisions: number;
}

export type Tallies = { readonly [Name in (typeof TALLIED)[number]]: Tally };

export const NOTHING_TALLIED: Tallies = Object.fromEntries(
  TALLIED.map((name) => [name, { count: 0, revisions: 0 }]),
) as Tallies;
