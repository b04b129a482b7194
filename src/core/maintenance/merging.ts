/** Merging memories that say similar things, in places that hold more than they should. See `ConsolidationConfig`. */

import type { Entry } from '../../domain/entry.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import type { Place } from '../../ports/archive.ts';
import type { Position } from '../../ports/entry-store.ts';
import { clustersOf, type Cluster, type Located } from './clusters.ts';
import { crowdedPlaces, openPlace, positionOf, type CrowdedPlace, type OpenPlace } from './crowded-places.ts';
import { nextEntries } from './entry-pages.ts';
import type { Batch, Job, JobContext, Progress } from './job.ts';
import { isSummarised, mayBeMerged, mayStandFor, mergeCluster, tracesIn } from './merge-cluster.ts';

/** Memories that are compared with each other at a time; in a place that holds more, window after window. */
const WINDOW = 1000;
const PAGE = 200;

/** As many as one text can stand for. */
const MAX_CLUSTER = 12;

/** Clusters in one batch. A language model takes its time for each, and no batch may seem to be abandoned. */
const CLUSTERS = 25;
const CLUSTERS_BY_MODEL = 1;

/** Where a run stands: either looking for places, or at work in the first of those that it found. */
interface Standing {
  readonly startedAt: number;
  readonly after?: Place | undefined;
  readonly places: readonly CrowdedPlace[];
  /** Where in the place the window begins. */
  readonly window?: Position | undefined;
  /** What could not be merged in this window, and is not tried again. */
  readonly tried: readonly string[];
}

export const merging: Job = {
  name: 'merging',
  counted: ['places', 'merged', 'kept', 'summarised', 'fallbacks'],
  isOn: ({ consolidation }) => consolidation.enabled,
  batch: (context, progress) => {
    const standing = standingOf(context, progress);
    const [place] = standing.places;
    return place === undefined ? findPlaces(context, standing) : mergeWithin(context, standing, place);
  },
};

function standingOf({ dependencies }: JobContext, progress: Progress): Standing {
  const {
    startedAt = dependencies.clock.now(),
    places = [],
    tried = [],
    after,
    window,
  } = progress as Partial<Standing>;
  return { startedAt, places, tried, after, window };
}

function progressOf(standing: Standing): Progress {
  return { ...standing };
}

async function findPlaces(context: JobContext, standing: Standing): Promise<Batch> {
  const { items, last } = await nextEntries(context, progressOf(standing));
  if (last === undefined) return { changes: [], counts: {}, progress: undefined };
  const places = await crowdedPlaces(context, items, standing.startedAt);
  return { changes: [], counts: { places: places.length }, progress: progressOf({ ...standing, after: last, places }) };
}

async function mergeWithin(context: JobContext, standing: Standing, named: CrowdedPlace): Promise<Batch> {
  const place = openPlace(context, named);
  const { memories, next } = await windowOf(context, place, standing);
  const { similarityThreshold: threshold } = context.dependencies.lifecycle.consolidation;
  const clusters = await clustersOf(memories, {
    threshold,
    maxSize: MAX_CLUSTER,
    fits: (a, b) =>
      a.sensitivity === b.sensitivity &&
      a.trust === b.trust &&
      (isSummarised(context, a) || mayStandFor(context, a, b)),
    rest: context.rest,
  });
  const size = context.isDryRun ? clusters.length : batchSize(context);
  const changes: RunChange[] = context.isRepeated ? await tracesIn(context, place, windowIn(standing)) : [];
  const tried = [...standing.tried];
  let fallbacks = 0;
  for (const cluster of clusters.slice(0, size)) {
    const merged = await mergeCluster(context, place, cluster);
    changes.push(...merged.changes);
    if (merged.changes.length === 0) tried.push(...membersOf(cluster));
    if (merged.isFallback) fallbacks += 1;
    await context.rest();
  }
  const isDone = clusters.length <= size;
  const [, ...rest] = standing.places;
  const later = isDone
    ? { ...standing, tried: [], window: next, places: next === undefined ? rest : standing.places }
    : { ...standing, tried };
  return { changes, counts: { fallbacks }, progress: progressOf(later) };
}

function windowIn({ window }: Standing): Parameters<typeof tracesIn>[2] {
  return { size: WINDOW, position: window };
}

function batchSize({ dependencies: { languageModel } }: JobContext): number {
  return languageModel === undefined ? CLUSTERS : CLUSTERS_BY_MODEL;
}

function membersOf({ centre, sources }: Cluster): string[] {
  return [centre.id, ...sources.map(({ id }) => id)];
}

interface Window {
  /** Oldest first, so that what was there first gathers the rest around it. */
  readonly memories: readonly Located[];
  /** Where the next window begins; undefined after the last. */
  readonly next: Position | undefined;
}

async function windowOf(context: JobContext, place: OpenPlace, { window, tried }: Standing): Promise<Window> {
  const { dependencies, runId } = context;
  const { entries, embedder, clock } = dependencies;
  const { partition, owner, ownerId } = place;
  const space = await embedder.space();
  const refused = new Set(tried);
  const memories: Located[] = [];
  let position = window;
  for (let read = 0; read < WINDOW; read += PAGE) {
    const page: Entry[] = await entries.list(owner, { partitions: [partition], ownerId }, PAGE, position);
    const fit = page.filter((entry) => mayBeMerged(entry, runId, clock.now()) && !refused.has(entry.id));
    const vectors = await entries.vectors(
      owner,
      space,
      fit.map(({ id }) => id),
    );
    memories.unshift(...fit.flatMap((entry) => located(entry, vectors)).toReversed());
    const last = page.length < PAGE ? undefined : page.at(-1);
    position = last && positionOf(last);
    if (position === undefined) break;
  }
  return { memories, next: position };
}

function located(entry: Entry, vectors: ReadonlyMap<string, Float32Array>): Located[] {
  const vector = vectors.get(entry.id);
  return vector === undefined ? [] : [{ entry, vector }];
}
