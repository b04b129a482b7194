/** What only inspection needs: counts, and reverse references. */

import type { DayOfGrowth, MemoryGroup, Sizes, SpaceSize } from '../domain/inspection.ts';
import type { Principal } from '../domain/principal.ts';

export interface Tally {
  /** In no particular order, without zeros. */
  readonly groups: readonly MemoryGroup[];
  /** In no particular order; days on which nothing happened are left out. */
  readonly growth: readonly DayOfGrowth[];
  readonly sizes: Sizes;
  /** Only for a tenant. */
  readonly spaces?: readonly SpaceSize[] | undefined;
  /** Only for a tenant, if known. */
  readonly bytes?: number | undefined;
}

/** None of it may block other work, however large the tenant. */
export interface Inspector {
  /**
   * What the principal may see, and what is its own. `since` is where growth begins; what has expired by `now` (both in milliseconds) is in
   * no group.
   */
  tally(principal: Principal, since: number, now: number): Promise<Tally>;
  /** The same for the whole tenant. The caller is responsible for access control. */
  tallyTenant(tenantId: string, since: number, now: number): Promise<Tally>;
  /** The ids of entries whose provenance says that they were promoted from one of these; at most `limit`. */
  promotedFrom(principal: Principal, ids: readonly string[], limit: number): Promise<string[]>;
  /** When an entry was read (milliseconds), newest first; see {@link MAX_ACCESS_TIMES}. Empty if there is no such entry. */
  accessTimes(principal: Principal, id: string): Promise<readonly number[]>;
}
