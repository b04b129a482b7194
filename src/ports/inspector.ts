/** What people who look at memory from outside ask for and no use case needs: counts, and what names what. */

import type { DayOfGrowth, MemoryGroup, Sizes, SpaceSize } from '../domain/inspection.ts';
import type { Principal } from '../domain/principal.ts';

export interface Tally {
  /** In no particular order, and none of nothing. */
  readonly groups: readonly MemoryGroup[];
  /** In no particular order; days on which nothing happened are left out. */
  readonly growth: readonly DayOfGrowth[];
  readonly sizes: Sizes;
  /** Only of a tenant. */
  readonly spaces?: readonly SpaceSize[] | undefined;
  /** Only of a tenant, where it can be told. */
  readonly bytes?: number | undefined;
}

/** None of it may hold up others, however much there is. */
export interface Inspector {
  /** What the principal may see, and what is its own. `since` (milliseconds) is where growth begins. */
  tally(principal: Principal, since: number): Promise<Tally>;
  /** The same of the whole tenant. Whoever asks answers for all of its users. */
  tallyTenant(tenantId: string, since: number): Promise<Tally>;
  /** The ids of entries whose provenance says that they were promoted from one of these; at most `limit`. */
  promotedFrom(principal: Principal, ids: readonly string[], limit: number): Promise<string[]>;
  /** When an entry was read (milliseconds), newest first; see {@link MAX_ACCESS_TIMES}. None where it is not there. */
  accessTimes(principal: Principal, id: string): Promise<readonly number[]>;
}
