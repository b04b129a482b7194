/** Memories that more than one turn says: they stay when one of these is removed, and no longer name it. */

import { mayWrite } from '../../domain/access.ts';
import type { Entry, Provenance } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { placementOf } from '../scoping.ts';

/**
 * Whether it is deleted with these. A memory that a later turn reworded goes with each of its sources, because its earlier
 * versions repeat what only that source said.
 */
export function goesWith({ provenance }: Entry, gone: ReadonlySet<string>): boolean {
  const { derivedFrom = [], alsoFrom = [] } = provenance ?? {};
  if (!derivedFrom.some((id) => gone.has(id))) return false;
  return derivedFrom.length > 1 || alsoFrom.every((id) => gone.has(id));
}

/** In the same transaction. */
export async function keepSaidElsewhere(
  { embedder, clock }: Pick<Dependencies, 'embedder' | 'clock'>,
  tx: EntryTransaction,
  principal: Principal,
  removed: readonly Entry[],
): Promise<void> {
  const named = new Set(removed.flatMap(({ provenance }) => provenance?.extractedInto ?? []));
  if (named.size === 0) return;
  const gone = new Set(removed.map(({ id }) => id));
  const kept = (await tx.find([...named])).filter(
    (entry) => !goesWith(entry, gone) && mayWrite(principal, placementOf(entry)),
  );
  const now = isoAt(clock.now());
  const none = new Embeddings(embedder);
  const writes = kept
    .map((entry) => ({ entry, next: withoutSources(entry, gone, now) }))
    .filter(({ entry, next }) => next !== entry);
  await tx.replace(writes.map(({ entry, next }) => writeOf(next, entry, none)));
}

function withoutSources(entry: Entry, gone: ReadonlySet<string>, now: string): Entry {
  const { provenance = {}, source } = entry;
  const { derivedFrom = [], alsoFrom = [], quotes = [], ...rest } = provenance;
  const isLeft = (id: string): boolean => !gone.has(id);
  const others = alsoFrom.filter(isLeft);
  const made = derivedFrom.filter(isLeft);
  if (made.length === derivedFrom.length && others.length === alsoFrom.length) return entry;
  const [first, ...further] = made.length > 0 ? [undefined, ...others] : others;
  const next: Provenance = {
    ...rest,
    derivedFrom: first === undefined ? made : [first],
    ...(further.length > 0 && { alsoFrom: further.filter((id) => id !== undefined) }),
    quotes: quotes.filter(({ entryId }) => isLeft(entryId)),
  };
  const isReferred = source?.reference !== undefined && gone.has(source.reference) && first !== undefined;
  return revised(entry, { provenance: next, ...(isReferred && { source: { ...source, reference: first } }) }, now);
}
