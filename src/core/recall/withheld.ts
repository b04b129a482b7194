/** Leaving out what is more sensitive than a search may show: before near-duplicates are merged, so that it hides nothing. */

import { isWithin, type Sensitivity } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Entries } from '../../ports/entry-store.ts';
import type { Found } from './found.ts';

/** What may be shown. What was made more sensitive since an earlier moment is so for that moment too. */
export async function withinSensitivity(
  entries: Entries,
  principal: Principal,
  passed: readonly Found[],
  max: Sensitivity,
): Promise<Found[]> {
  if (passed.length === 0) return [];
  const found = await entries.find(
    principal,
    passed.map(({ id }) => id),
  );
  const present = new Map(found.map(({ id, sensitivity }) => [id, sensitivity]));
  return passed.filter(({ id, past }) => isWithin(present.get(id), max) && isWithin(past?.former.sensitivity, max));
}
