/** Changing how something is stored, without changing it: no version, no event, no time of it tells that it was done. */

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
  /** Of the last item; undefined when there is none, which is the end. */
  readonly last: Place | undefined;
  /** How many were looked at, and how many were changed. */
  readonly seen: number;
  readonly changed: number;
}

/** Of all users of a tenant: whoever holds it answers for them. */
export interface Resealing {
  /**
   * Puts something in the place of the next items, as if alone; undefined leaves one as it is. In the order of an archive,
   * and also what has expired but is still there. Entries come without their vectors. `change` may run more than once.
   */
  reseal<C extends Resealed>(
    tenantId: string,
    collection: C,
    limit: number,
    after: Place | undefined,
    change: (item: Archived[C]) => Archived[C] | undefined,
  ): Promise<ResealedPage>;
  /** Makes room where former values lie still, so that they cannot be read there. Throws `UNAVAILABLE` where it cannot. */
  compact(tenantId: string): Promise<void>;
}
