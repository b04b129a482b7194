/** Archiving an entry and taking it back: it moves to the partition for what is not in use, or from there. */

import type { Entry, Provenance } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ArchiveInput } from '../../domain/remember.ts';
import { assertMayWriteEntry, assertVersion, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';

export interface Archiving extends ArchiveInput {
  readonly isArchived: boolean;
}

type Needs = Pick<Dependencies, 'entries' | 'embedder' | 'clock'>;

/** As its next version; the very same entry where it already is so. Throws what an update throws. */
export function setArchived(
  { entries, embedder, clock }: Needs,
  principal: Principal,
  { id, isArchived, expectedVersion }: Archiving,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Entry> {
  return entries.transaction(principal, async (tx) => {
    const [current] = await tx.find([id]);
    if (current === undefined || !isMeant(current)) throw notFound(id);
    assertMayWriteEntry(principal, current);
    assertVersion(current, expectedVersion);
    if ((current.status === 'archived') === isArchived) return current;
    const now = new Date(clock.now()).toISOString();
    const entry = revised(current, isArchived ? { status: 'archived' } : restoration(current), now);
    await tx.replace([writeOf(entry, current, new Embeddings(embedder))]);
    return entry;
  });
}

/** Who takes a merged entry back says that it is another one, for good. */
function restoration({ provenance }: Entry): { status: 'active'; provenance?: Provenance } {
  const { mergedInto, runId: _by, distinctFrom = [], ...rest } = provenance ?? {};
  if (mergedInto === undefined) return { status: 'active' };
  return { status: 'active', provenance: { ...rest, distinctFrom: [...new Set([...distinctFrom, mergedInto])] } };
}
