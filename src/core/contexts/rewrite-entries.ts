/** Writing entries of a context as a whole, as they once were: nothing of what stands there is merged in. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { writeOf } from '../remember/write.ts';
import { signed } from './context-entry-view.ts';
import { saysTheSame } from './entry-states.ts';
import type { OpenContext } from './open-context.ts';

/** What an entry is to say from now on; its own id says which entry is meant. */
export interface Rewriting {
  readonly state: Entry;
  readonly isArchived: boolean;
}

/** Few enough that nobody waits long for a transaction. */
const BATCH = 100;

/** Each as its next version; what was deleted meanwhile stays deleted. */
export async function rewriteEntries(
  dependencies: Dependencies,
  principal: Principal,
  place: OpenContext,
  rewritings: readonly Rewriting[],
): Promise<void> {
  for (let from = 0; from < rewritings.length; from += BATCH) {
    await rewriteBatch(dependencies, principal, place, rewritings.slice(from, from + BATCH));
  }
}

function rewriteBatch(
  { entries, embedder, clock }: Dependencies,
  principal: Principal,
  { owner }: OpenContext,
  rewritings: readonly Rewriting[],
): Promise<void> {
  const wanted = new Map(rewritings.map((rewriting) => [rewriting.state.id, rewriting]));
  const embeddings = new Embeddings(embedder);
  return embeddings.retrying(() =>
    entries.transaction(owner, async (tx) => {
      const now = isoAt(clock.now());
      const transitions = (await tx.find([...wanted.keys()])).flatMap((previous) => {
        const entry = rewritten(previous, wanted.get(previous.id), principal, now);
        return entry === previous ? [] : [{ entry, previous }];
      });
      embeddings.assertPrepared(transitions);
      await tx.replace(transitions.map(({ entry, previous }) => writeOf(entry, previous, embeddings)));
    }),
  );
}

function rewritten(current: Entry, rewriting: Rewriting | undefined, principal: Principal, now: string): Entry {
  if (rewriting === undefined) return current;
  const { state, isArchived } = rewriting;
  const isSameShelf = isArchived === (current.status === 'archived');
  if (isSameShelf && saysTheSame(state, current)) return current;
  const { lastAccessedAt: _then, ...said } = state;
  const { createdAt, accessCount, lastAccessedAt, version } = current;
  return {
    ...signed(said, principal),
    createdAt,
    accessCount,
    ...(lastAccessedAt !== undefined && { lastAccessedAt }),
    status: isArchived ? 'archived' : 'active',
    version: version + 1,
    previousVersion: version,
    updatedAt: now,
  };
}
