/** Facts made from removed memories: they are removed too, unless something else says them. */

import type { Entry } from '../../domain/entry.ts';
import type { Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import { visible } from '../facts/change-fact.ts';
import { withoutSources } from '../facts/fact-sources.ts';

/** How many, in the same transaction. What another turn says too stays, with that one as its source. */
export async function removeDerivedFacts(
  tx: EntryTransaction,
  principal: Principal,
  removed: readonly Entry[],
): Promise<number> {
  const named = removed.flatMap(({ provenance }) => provenance?.extractedFacts ?? []);
  if (named.length === 0) return 0;
  const gone = new Set<unknown>(removed.map(({ id }) => id));
  const found = (await tx.facts.find([...new Set(named)])).filter((fact) => visible(principal, fact) !== null);
  const left = found.map((fact) => ({ fact, next: withoutSources(fact, gone) }));
  const derived = left.filter(({ next }) => next === null);
  await tx.facts.remove(derived.map(({ fact }) => fact.factId));
  await tx.facts.replace(left.flatMap(({ fact, next }): Fact[] => (next === null || next === fact ? [] : [next])));
  return derived.length;
}
