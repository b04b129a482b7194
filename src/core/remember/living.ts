/** What says the same as a write and has not expired. */

import { mayWrite } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { EntryTransaction, Identity } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';

export interface Living {
  /** For each identity the entry that has it; null if none does. */
  readonly found: readonly (Entry | null)[];
  /** What had been embedded for entries that had expired and made way. */
  readonly expiredTexts: readonly string[];
}

/** What happened happened once: an episode without a name is the same as no other. */
export function isFindable({ id, externalId, contentHash }: Identity): boolean {
  return id !== undefined || externalId !== undefined || contentHash !== undefined;
}

/**
 * An expired entry still occupies its identity, so it is removed, and then another one may be found by the rest of that
 * identity. One of somebody else, found by its id, is not ours to remove: its id stays taken.
 */
export async function findLiving(
  principal: Principal,
  tx: EntryTransaction,
  identities: readonly Identity[],
  now: string,
): Promise<Living> {
  const isInTheWay = (entry: Entry | null): entry is Entry =>
    entry !== null && hasExpired(entry, now) && mayWrite(principal, placementOf(entry));
  const expiredTexts: string[] = [];
  if (!identities.some(isFindable)) return { found: identities.map(() => null), expiredTexts };
  for (;;) {
    const found = await tx.findSame(identities);
    const expired = new Set(found.filter(isInTheWay).map(({ id }) => id));
    if (expired.size === 0) return { found, expiredTexts };
    expiredTexts.push(...(await tx.remove([...expired])));
  }
}
