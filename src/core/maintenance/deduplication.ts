/** Merging what says the same, in one place and of one owner; what goes into another is archived. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { ArchivedEntry, Place } from '../../ports/archive.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Embedding, EntryTransaction } from '../../ports/entry-store.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { assertFields } from '../remember/fields.ts';
import { writeOf } from '../remember/write.ts';
import { ownerOfEntry } from './acting.ts';
import { isInUse, nextEntries } from './entry-pages.ts';
import type { Job, JobContext } from './job.ts';
import { byStanding, mayMerge, merged, ranked, type Ranking } from './duplicates.ts';

/** How many are looked at around one entry. What is left is found from the others' side. */
const NEIGHBOURS = 16;

/** An entry written while the last run began may have been missed by it, the more so where clocks differ. */
const OVERLAP_MS = 5 * 60_000;

/** A batch that takes longer is cut short: a run must be heard of. */
const MAX_BATCH_MS = 15_000;

export const deduplication: Job = {
  name: 'deduplication',
  counted: ['examined', 'merged', 'enriched'],
  batch: async (context, progress) => {
    const { items, last } = await nextEntries(context, progress);
    const space = await context.dependencies.embedder.space();
    const changes: RunChange[] = [];
    const { clock } = context.dependencies;
    const startedAt = clock.now();
    let next: Place | undefined = last;
    let examined = 0;
    for (const item of items) {
      if (clock.now() - startedAt > MAX_BATCH_MS) break;
      next = [item.entry.id];
      if (context.isRepeated) changes.push(...(await tracesOf(context, item.entry)));
      const embedding = isExamined(context, item.entry) ? embeddingIn(item, space) : undefined;
      if (embedding === undefined) continue;
      examined += 1;
      changes.push(...(await examine(context, item, embedding)));
      await context.rest();
    }
    return { changes, counts: { examined }, progress: next && { after: next } };
  },
};

/** Only what was written since the last run can resemble something that it has not been compared with. */
function isExamined({ since, dependencies }: JobContext, entry: Entry): boolean {
  const isNew = since === undefined || Date.parse(entry.updatedAt) >= Date.parse(since) - OVERLAP_MS;
  const { kind, identifiers } = entry;
  return (
    isNew && kind === 'semantic' && identifiers.contextId === undefined && isInUse(entry, dependencies.clock.now())
  );
}

function embeddingIn({ embeddings }: ArchivedEntry, { model, dimensions }: EmbeddingSpace): Embedding | undefined {
  return embeddings.find(({ space }) => space.model === model && space.dimensions === dimensions);
}

/** Mostly nothing is near at all, and that is known by plain reads, for which no writer has to wait. */
async function examine(
  context: JobContext,
  { entry, partition }: ArchivedEntry,
  embedding: Embedding,
): Promise<RunChange[]> {
  const { dependencies, tenantId, isDryRun } = context;
  const { entries, lifecycle } = dependencies;
  const owner = ownerOfEntry(tenantId, entry);
  const reach = { partitions: [partition], ownerId: entry.ownerId };
  const candidates = await entries.candidates(owner, reach, { terms: [], embedding }, NEIGHBOURS);
  const ids = candidates
    .filter(({ id, similarity = 0 }) => id !== entry.id && similarity >= NEAR_DUPLICATE_SIMILARITY)
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  // The one that stays comes first, so that all others go into it and none goes into one that goes itself.
  const others = (await entries.find(owner, ids))
    .filter((other) => mayMerge(lifecycle.deduplication, entry, other))
    .toSorted(byStanding);
  if (others.length === 0) return [];
  if (isDryRun) return foreseen(context, entry, others);
  return entries.transaction(owner, (tx) => mergeAround(context, tx, entry, others));
}

/** Each would be merged into one other: told of when it is looked at itself, unless it is not going to be. */
function foreseen(context: JobContext, entry: Entry, others: readonly Entry[]): RunChange[] {
  const pairs = others.map((other) => ranked(entry, other));
  const into = pairs.find(({ other }) => other.id === entry.id);
  if (into !== undefined) return [foreseenChange(into)];
  return pairs.filter(({ other }) => !isExamined(context, other)).map(foreseenChange);
}

/**
 * Pair by pair, so that what goes into another always resembles it, and not merely something in between. What was changed
 * since it was compared is left to the next run.
 */
async function mergeAround(
  { dependencies, runId }: JobContext,
  tx: EntryTransaction,
  entry: Entry,
  others: readonly Entry[],
): Promise<RunChange[]> {
  const { clock, limits, embedder, lifecycle } = dependencies;
  const found = new Map((await tx.find([entry, ...others].map(({ id }) => id))).map((one) => [one.id, one]));
  const now = new Date(clock.now()).toISOString();
  const changes: RunChange[] = [];
  let current = found.get(entry.id);
  for (const other of others) {
    // The entry itself may have been enriched since its page was read.
    const isSame = current?.contentHash === entry.contentHash && current.visibility === entry.visibility;
    if (current === undefined || !isSame || !isInUse(current, clock.now())) break;
    const neighbour = found.get(other.id);
    if (neighbour?.version !== other.version || !isInUse(neighbour, clock.now())) continue;
    if (!mayMerge(lifecycle.deduplication, current, neighbour)) continue;
    const before = ranked(current, neighbour);
    const after = merged(before, runId, now);
    if (!isWithinLimits(() => assertFields(after.survivor, limits))) continue;
    const none = new Embeddings(embedder);
    await tx.replace([writeOf(after.survivor, before.survivor, none), writeOf(after.other, before.other, none)]);
    changes.push(...changesOf(after));
    if (before.other.id === entry.id) break;
    current = after.survivor;
  }
  return changes;
}

function isWithinLimits(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof LaminaError) return false;
    throw error;
  }
}

function foreseenChange({ survivor, other }: Ranking): RunChange {
  return { action: 'merged', entryId: other.id, fromVersion: other.version, detail: `into ${survivor.id}` };
}

/** What was done, as both stand there afterwards. */
function changesOf({ survivor, other }: Ranking): RunChange[] {
  const merging = { action: 'merged', ...stepOf(other), detail: `into ${survivor.id}` };
  return [merging, { action: 'enriched', ...stepOf(survivor), detail: `by ${other.id}` }];
}

function stepOf({ id, version }: Entry): Pick<RunChange, 'entryId' | 'fromVersion' | 'toVersion'> {
  return { entryId: id, fromVersion: version - 1, toVersion: version };
}

/** What this run did with the entry before it was cut short: as the one that stayed, and as the one that went. */
async function tracesOf(context: JobContext, entry: Entry): Promise<RunChange[]> {
  if (entry.provenance?.runId !== context.runId) return [];
  const { mergedInto, mergedFrom = [] } = entry.provenance;
  const { entries } = context.dependencies;
  const owner = ownerOfEntry(context.tenantId, entry);
  const found = await entries.find(owner, mergedInto === undefined ? mergedFrom : [...mergedFrom, mergedInto]);
  const changes: RunChange[] = [];
  for (const partner of found) {
    const pair = partner.id === mergedInto ? { survivor: partner, other: entry } : { survivor: entry, other: partner };
    if (pair.other.provenance?.runId !== context.runId || pair.other.provenance.mergedInto !== pair.survivor.id)
      continue;
    const past = (await entries.history(owner, pair.survivor.id)).map(({ memory }) => memory);
    // It may have taken in several, one after the other: each merge made a version of it.
    const survivor = [pair.survivor, ...past].findLast((one) => one.provenance?.mergedFrom?.includes(pair.other.id));
    if (survivor !== undefined) changes.push(...changesOf({ survivor, other: pair.other }));
  }
  return changes;
}
