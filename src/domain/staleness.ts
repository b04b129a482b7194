/** How stale a memory has become for lack of use. Pure. */

import { rehearsal } from './decay.ts';

const MS_PER_DAY = 86_400_000;

/** Days without use after which an ordinary memory (importance 0.5, never read) is half stale. */
const HALF_LIFE_DAYS = 30;

/** From this staleness on a memory is archived: an ordinary one after about a hundred days without use. */
export const ROTTEN = 0.9;

/** What staleness depends on. */
export interface Use {
  readonly importance: number;
  readonly accessCount: number;
  readonly updatedAt: string;
  readonly lastAccessedAt?: string | undefined;
}

/**
 * 0 when in use, approaching 1 when unused: `1 − 0.5 ^ (idle / half-life)`, idle being the days since it was last changed
 * or read. Importance and reads slow it down: the half-life is `30 days × (0.5 + importance) × (1 + log2(1 + accesses) /
 * 4)`. So 0.9 is reached after 50 days without use for importance 0, 100 for 0.5, 150 for 1; and fifteen accesses double
 * that.
 */
export function staleness({ importance, accessCount, updatedAt, lastAccessedAt }: Use, now: number): number {
  const lastUse = Math.max(Date.parse(updatedAt), lastAccessedAt === undefined ? 0 : Date.parse(lastAccessedAt));
  const idleDays = Math.max(0, now - lastUse) / MS_PER_DAY;
  const halfLife = HALF_LIFE_DAYS * (0.5 + importance) * rehearsal(accessCount);
  return 1 - 0.5 ** (idleDays / halfLife);
}
