/** Changing how something is stored without changing it: no new version, event or timestamp. */

import type { Archived, Place } from './archive.ts';

/** What is sealed. */
export const RESEALED = [
  'entries',
  'versions',
  'state',
  'facts',
  'plans',
  'planContexts',
  'sessions',
  'taskContexts',
  'pools',
  'contexts',
  'contextSnapshots',
] as const;

export type Resealed = (typeof RESEALED)[number];

export interface ResealedPage {
  /** Of the last item; undefined at the end. */
  readonly last: Place | undefined;
  /** How many were examined, and how many were changed. */
  readonly seen: number;
  readonly changed: number;
}

/** Spans all users of a tenant: the holder is responsible for access control. */
export interface Resealing {
  /**
   * Replaces the next items under a lock; undefined leaves one as it is. In archive order, including expired items that are
   * still stored. Entries come without their vectors. `change` may run more than once.
   */
  reseal<C extends Resealed>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place | undefined,
    change: (item: Archived[C]) => Archived[C] | undefined,
  ): Promise<ResealedPage>;
  /** Frees the space that still holds former values, so that they cannot be read there. Throws `UNAVAILABLE` if it cannot. */
  compact(tenantId: string): Promise<void>;
}
