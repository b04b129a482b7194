/** Finding places that hold more memories than they should: a partition and, within it, an owner. */

import { partitionKey, partitionOfKey, type Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ArchivedEntry } from '../../ports/archive.ts';
import type { Position } from '../../ports/entry-store.ts';
import { ownerOfEntry } from './acting.ts';
import { isInUse } from './entry-pages.ts';
import type { JobContext } from './job.ts';

/** As it is kept in the progress of a run. */
export interface CrowdedPlace {
  readonly partition: string;
  readonly ownerId: string | null;
}

/** A place with who acts in it. */
export interface OpenPlace {
  readonly partition: Partition;
  readonly ownerId: string | null;
  readonly owner: Principal;
}

export function openPlace({ tenantId }: JobContext, { partition, ownerId }: CrowdedPlace): OpenPlace {
  return { partition: partitionOfKey(partition), ownerId, owner: ownerOfEntry(tenantId, { ownerId }) };
}

/** Of a page of entries the places that are crowded; each is told once in a run, where its newest entry is. */
export async function crowdedPlaces(
  context: JobContext,
  page: readonly ArchivedEntry[],
  startedAt: number,
): Promise<CrowdedPlace[]> {
  const crowded: CrowdedPlace[] = [];
  for (const [place, newest] of newestOf(context, page)) {
    if (await isCrowded(context, place, newest, startedAt)) crowded.push(place);
  }
  return crowded;
}

/** Only the newest entry of the page can be the newest of all. */
function newestOf(context: JobContext, page: readonly ArchivedEntry[]): Map<CrowdedPlace, Entry> {
  const { lifecycle, clock } = context.dependencies;
  const places = new Map<string, { place: CrowdedPlace; newest: Entry }>();
  for (const { entry, partition } of page) {
    const isTarget = entry.kind === 'semantic' && lifecycle.consolidation.targetLayers.includes(entry.layer);
    if (!isTarget || entry.identifiers.contextId !== undefined || !isInUse(entry, clock.now())) continue;
    const place = { partition: partitionKey(partition), ownerId: entry.ownerId };
    const key = JSON.stringify([place.partition, place.ownerId]);
    const known = places.get(key);
    if (known === undefined || isNewer(entry, known.newest))
      places.set(key, { place: known?.place ?? place, newest: entry });
  }
  return new Map([...places.values()].map(({ place, newest }) => [place, newest]));
}

function isNewer(a: Entry, b: Entry): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}

async function isCrowded(context: JobContext, place: CrowdedPlace, newest: Entry, startedAt: number): Promise<boolean> {
  const { entries, lifecycle } = context.dependencies;
  const { owner, partition, ownerId } = openPlace(context, place);
  const selection = { partitions: [partition], ownerId };
  // What the run itself adds must not bring the place up again.
  const [first] = await entries.list(owner, { ...selection, createdBefore: startedAt + 1 }, 1);
  if (first?.id !== newest.id) return false;
  return (await entries.count(owner, selection)) > lifecycle.consolidation.maxMemoriesBeforeTrigger;
}

export function positionOf({ createdAt, id }: Entry): Position {
  return { createdAt: Date.parse(createdAt), id };
}
