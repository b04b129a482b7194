/** Building the index of a tenant from the store: every vector in the store, and no others. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { ArchivedEntry } from '../../ports/archive.ts';
import type { IndexedPoint, RebuildProgress } from '../../ports/vector-index.ts';
import { systemPrincipal } from '../maintenance/acting.ts';
import type { IndexNeeds } from './index-needs.ts';

const PAGE = 256;

/** A builder without a heartbeat for this long is considered dead. */
const SILENCE_MS = 60_000;

export interface Rebuild {
  readonly needs: IndexNeeds;
  readonly space: EmbeddingSpace;
  readonly tenantId: string;
  readonly signal: AbortSignal;
  /** Takes over from another builder. */
  readonly takesOver?: boolean | undefined;
  /** Told after every page how many entries have been gone through. */
  readonly progress?: ((done: number) => void) | undefined;
}

/**
 * The position of the event log from which on there is more to tell the index; undefined when somebody else is at it, or
 * when it was told to stop. One that was cut short goes on where it was. Until it is done searches do not use the index.
 */
export async function rebuild(work: Rebuild): Promise<string | undefined> {
  const { needs, space, tenantId, signal } = work;
  const begun = await claim(work);
  if (begun === undefined) return undefined;
  let { after, done } = begun;
  while (!signal.aborted) {
    work.progress?.(done);
    const place = after === undefined ? undefined : [after];
    const { items, last } = await needs.archive.read(tenantId, 'entries', PAGE, place);
    if (last === undefined) return finish(work, begun);
    const points = items.flatMap((item) => pointsOf(item, space));
    if (points.length > 0) await needs.index.put(space, tenantId, points);
    if (!(await isStillOurs(work, begun))) return undefined;
    after = String(last[0]);
    done += items.length;
    const reached = { ...begun, after, done, at: needs.clock.now() };
    await needs.index.saveProgress(space, tenantId, { rebuild: reached });
  }
  return undefined;
}

async function finish(work: Rebuild, begun: RebuildProgress): Promise<string | undefined> {
  const { needs, space, tenantId } = work;
  await removeStrays(work);
  if (work.signal.aborted || !(await isStillOurs(work, begun))) return undefined;
  await needs.index.saveProgress(space, tenantId, { position: begun.position });
  return begun.position;
}

/** Where the log stands is read before the first entry: what changes behind the rebuild comes after it. */
async function claim({ needs, space, tenantId, takesOver }: Rebuild): Promise<RebuildProgress | undefined> {
  const { index, clock, events, ids } = needs;
  const found = (await index.progress(space, tenantId))?.rebuild;
  const isBusy = found !== undefined && clock.now() - found.at < SILENCE_MS;
  if (isBusy && takesOver !== true) return undefined;
  const beginning = found ?? { position: await events.head(systemPrincipal(tenantId)), done: 0 };
  const state = { ...beginning, holder: ids.next(), at: clock.now() };
  await index.saveProgress(space, tenantId, { rebuild: state });
  return state;
}

async function isStillOurs({ needs, space, tenantId }: Rebuild, { holder }: RebuildProgress): Promise<boolean> {
  return (await needs.index.progress(space, tenantId))?.rebuild?.holder === holder;
}

function pointsOf({ entry, partition, embeddings }: ArchivedEntry, space: EmbeddingSpace): IndexedPoint[] {
  const found = embeddings.find(
    (each) => each.space.model === space.model && each.space.dimensions === space.dimensions,
  );
  return found ? [{ id: entry.id, partition, ownerId: entry.ownerId, vector: found.vector }] : [];
}

/** What the store does not have, or has no vector of, as after a restored backup. Nothing to do where the counts agree. */
async function removeStrays({ needs, space, tenantId, signal }: Rebuild): Promise<void> {
  const { index, upkeep } = needs;
  if ((await index.count(space, tenantId)) === (await upkeep.countPoints(tenantId, space))) return;
  let after: string | undefined;
  do {
    const { ids, next } = await index.list(space, tenantId, PAGE, after);
    const stored = await upkeep.points(tenantId, space, ids);
    const there = new Set(stored.flatMap(({ id, vector }) => (vector ? [id] : [])));
    const strays = ids.filter((id) => !there.has(id));
    await index.remove(tenantId, strays, space);
    after = next;
  } while (after !== undefined && !signal.aborted);
}
