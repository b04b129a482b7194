/** Facts that were made from memories that are removed: they go along. */

import type { Entry } from '../../domain/entry.ts';
import { EXTRACTION_KEYS } from '../../domain/extraction.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import { visible } from '../facts/change-fact.ts';

/** How many, in the same transaction. What says the same for another reason, or was said again since, stays. */
export async function removeDerivedFacts(
  tx: EntryTransaction,
  principal: Principal,
  removed: readonly Entry[],
): Promise<number> {
  const named = removed.flatMap(({ provenance }) => provenance?.extractedFacts ?? []);
  if (named.length === 0) return 0;
  const gone = new Set<unknown>(removed.map(({ id }) => id));
  const found = await tx.facts.find([...new Set(named)]);
  const derived = found.filter(
    (fact) => visible(principal, fact) !== null && gone.has(fact.metadata[EXTRACTION_KEYS.episode]),
  );
  await tx.facts.remove(derived.map(({ factId }) => factId));
  return derived.length;
}
