/** Merging what says nearly the same, in one place and of one owner; what goes into another is archived. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import type { ArchivedEntry } from '../../ports/archive.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Embedding, EntryTransaction, Reach } from '../../ports/entry-store.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { assertFields } from '../remember/fields.ts';
import { writeOf } from '../remember/write.ts';
import { ownerOfEntry } from './acting.ts';
import { isInUse, nextEntries } from './entry-pages.ts';
import type { Job, JobContext } from './job.ts';
import { mayMerge, merged, ranked, type Ranking } from './duplicates.ts';

/** Cosine similarity from which two memories say the same. */
const SAME = 0.92;

/** How many are looked at around one entry. What is left is found from the others' side. */
const NEIGHBOURS = 16;

/** An entry written while the last run began may have been missed by it, the more so where clocks differ. */
const OVERLAP_MS = 5 * 60_000;

export const deduplication: Job = {
  name: 'deduplication',
  counted: ['examined', 'merged', 'enriched'],
  batch: async (context, progress) => {
    const { items, last } = await nextEntries(context, progress);
    const space = await context.dependencies.embedder.space();
    const changes: RunChange[] = [];
    let examined = 0;
    for (const item of items) {
      if (context.isRepeated) changes.push(...(await tracesOf(context, item.entry)));
      const embedding = isExamined(context, item.entry) ? embeddingIn(item, space) : undefined;
      if (embedding === undefined) continue;
      examined += 1;
      changes.push(...(await examine(context, item, embedding)));
    }
    return { changes, counts: { examined }, progress: last && { after: last } };
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

interface Neighbourhood {
  readonly entry: Entry;
  readonly embedding: Embedding;
  readonly reach: Reach;
}

async function examine(
  context: JobContext,
  { entry, partition }: ArchivedEntry,
  embedding: Embedding,
): Promise<RunChange[]> {
  const { dependencies, tenantId, isDryRun } = context;
  const { entries } = dependencies;
  const owner = ownerOfEntry(tenantId, entry);
  const reach = { partitions: [partition], ownerId: entry.ownerId };
  // Mostly nothing is near at all, and that is known by a plain read, for which no writer has to wait.
  const candidates = await entries.candidates(owner, reach, { terms: [], embedding }, NEIGHBOURS);
  const near = candidates.filter(({ id, similarity = 0 }) => id !== entry.id && similarity >= SAME);
  if (near.length === 0) return [];
  if (isDryRun) {
    const ids = near.toSorted((a, b) => (b.similarity ?? 0) - (a.similarity ?? 0)).map(({ id }) => id);
    return foreseen(context, entry, inOrder(ids, await entries.find(owner, ids)));
  }
  return entries.transaction(owner, (tx) => mergeAround(context, tx, { entry, embedding, reach }));
}

/** Each would be merged into one other: told of when it is looked at itself, unless it is not going to be. */
function foreseen(context: JobContext, entry: Entry, others: readonly Entry[]): RunChange[] {
  const pairs = others.filter((other) => mayMerge(entry, other)).map((other) => ranked(entry, other));
  const into = pairs.find(({ other }) => other.id === entry.id);
  if (into !== undefined) return [foreseenChange(into)];
  return pairs.filter(({ other }) => !isExamined(context, other)).map(foreseenChange);
}

/** Pair by pair, so that what goes into another always resembles it, and not merely something in between. */
async function mergeAround(
  { dependencies, runId }: JobContext,
  tx: EntryTransaction,
  { entry, embedding, reach }: Neighbourhood,
): Promise<RunChange[]> {
  const { clock, limits, embedder } = dependencies;
  const nearest = await tx.nearest(reach, embedding, NEIGHBOURS);
  const ids = nearest.filter(({ id, similarity }) => id !== entry.id && similarity >= SAME).map(({ id }) => id);
  const found = await tx.find([entry.id, ...ids]);
  const now = new Date(clock.now()).toISOString();
  const changes: RunChange[] = [];
  let current = found.find(({ id }) => id === entry.id);
  for (const neighbour of inOrder(ids, found)) {
    // Changed since the page was read: then the vector is not its own, and the next run looks at it.
    if (current?.contentHash !== entry.contentHash || !isInUse(current, clock.now())) break;
    if (!isInUse(neighbour, clock.now()) || !mayMerge(current, neighbour)) continue;
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

function inOrder(ids: readonly string[], entries: readonly Entry[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return ids.flatMap((id) => byId.get(id) ?? []);
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

/** What this run did with the entry before it was cut short: from whichever side it is seen. */
async function tracesOf({ dependencies, tenantId, runId }: JobContext, entry: Entry): Promise<RunChange[]> {
  if (entry.provenance?.runId !== runId) return [];
  const { mergedInto, mergedFrom = [] } = entry.provenance;
  const isOther = mergedInto !== undefined;
  const found = await dependencies.entries.find(ownerOfEntry(tenantId, entry), isOther ? [mergedInto] : mergedFrom);
  return found
    .filter(({ provenance }) => provenance?.runId === runId)
    .map((partner) => (isOther ? { survivor: partner, other: entry } : { survivor: entry, other: partner }))
    .flatMap(changesOf);
}
