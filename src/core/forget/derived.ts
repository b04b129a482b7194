/** Memories made from removed ones: they are removed too, and their other sources are restored. */

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
import { goesWith, keepSaidElsewhere } from './other-sources.ts';

/** Enough for repeated summaries; bounds the walk even over bad data. */
const MAX_DEPTH = 20;

/**
 * The ids of what has to be removed together with these, in the same transaction: texts that were made from theirs. Other
 * memories that were archived in favour of such a text are in use again, and can be merged anew without what is gone.
 */
export async function withdrawDerived(
  dependencies: Pick<Dependencies, 'embedder' | 'clock'>,
  tx: EntryTransaction,
  principal: Principal,
  removed: readonly Entry[],
): Promise<string[]> {
  const { embedder, clock } = dependencies;
  await keepSaidElsewhere(dependencies, tx, principal, removed);
  const derived = await derivedFrom(tx, principal, removed);
  if (derived.length === 0) return [];
  const gone = new Set([...removed, ...derived].map(({ id }) => id));
  const named = derived.flatMap(({ provenance: { derivedFrom: made = [], mergedFrom = [] } = {} }) => [
    ...made,
    ...mergedFrom,
  ]);
  const left = await tx.find([...new Set(named)].filter((id) => !gone.has(id)));
  const ids = new Set(derived.map(({ id }) => id));
  const now = isoAt(clock.now());
  const transitions = left
    .filter((entry) => mayWrite(principal, placementOf(entry)))
    .map((entry) => ({ entry, next: givenBack(entry, ids, now) }))
    .filter(({ entry, next }) => next !== entry);
  const none = new Embeddings(embedder);
  await tx.replace(transitions.map(({ entry, next }) => writeOf(next, entry, none)));
  return [...ids];
}

/** What was made from these, what was made from that, and so on. */
async function derivedFrom(tx: EntryTransaction, principal: Principal, removed: readonly Entry[]): Promise<Entry[]> {
  const gone = new Set(removed.map(({ id }) => id));
  const derived: Entry[] = [];
  let sources = removed;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const ids = new Set(sources.flatMap(intoWhat).filter((id) => !gone.has(id)));
    if (ids.size === 0) break;
    const found = await tx.find([...ids]);
    sources = found.filter((entry) => mayWrite(principal, placementOf(entry)) && goesWith(entry, gone));
    for (const { id } of sources) gone.add(id);
    derived.push(...sources);
  }
  return derived;
}

/** Also what it was taken back out of: the text that was made of it is still there then. */
function intoWhat({ provenance = {} }: Entry): string[] {
  const { mergedInto, distilledInto, extractedInto = [], distinctFrom = [] } = provenance;
  return [mergedInto, distilledInto, ...extractedInto, ...distinctFrom].filter((id) => id !== undefined);
}

function givenBack(entry: Entry, derived: ReadonlySet<string>, now: string): Entry {
  const { mergedInto, distilledInto, extractedInto = [], ...rest } = entry.provenance ?? {};
  const isMerged = mergedInto !== undefined && derived.has(mergedInto);
  const isDistilled = distilledInto !== undefined && derived.has(distilledInto);
  const kept = extractedInto.filter((id) => !derived.has(id));
  if (!isMerged && !isDistilled && kept.length === extractedInto.length) return entry;
  const provenance: Provenance = {
    ...rest,
    ...(!isMerged && mergedInto !== undefined && { mergedInto }),
    ...(!isDistilled && distilledInto !== undefined && { distilledInto }),
    ...(kept.length > 0 && { extractedInto: kept }),
  };
  delete provenance.runId;
  return revised(
    entry,
    {
      ...(isMerged && { status: 'active' as const }),
      provenance: Object.keys(provenance).length === 0 ? null : provenance,
    },
    now,
  );
}
