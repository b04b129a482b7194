/** All that is kept of a tenant, by collection: what a copy of a database carries, and how it is counted. */

/** In this order: what comes later may name what came before. */
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
  /** The sum of their versions, so that also a change shows; 0 for what has none. */
  readonly revisions: number;
}

export type Tallies = { readonly [Name in (typeof TALLIED)[number]]: Tally };

export const NOTHING_TALLIED: Tallies = Object.fromEntries(
  TALLIED.map((name) => [name, { count: 0, revisions: 0 }]),
) as Tallies;
