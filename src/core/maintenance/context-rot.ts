/** Archiving what nobody has used in a context for long. */

import type { Entry } from '../../domain/entry.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import { ROTTEN, staleness } from '../../domain/staleness.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { ownerOfEntry } from './acting.ts';
import { isInUse, nextEntries } from './entry-pages.ts';
import type { Job, JobContext } from './job.ts';

export const contextRot: Job = {
  name: 'context_rot',
  counted: ['examined', 'archived'],
  batch: async (context, progress) => {
    const { items, last } = await nextEntries(context, progress);
    const held = items.map(({ entry }) => entry).filter(({ identifiers }) => identifiers.contextId !== undefined);
    const changes: RunChange[] = [];
    for (const entry of held) {
      if (isRotten(context, entry)) changes.push(...(await archive(context, entry)));
      else if (context.isRepeated && isTrace(context, entry)) changes.push(changeOf(entry.version - 1, entry));
    }
    return { changes, counts: { examined: held.length }, progress: last && { after: last } };
  },
};

function isRotten({ dependencies }: JobContext, entry: Entry): boolean {
  const now = dependencies.clock.now();
  return isInUse(entry, now) && staleness(entry, now) >= ROTTEN;
}

function isTrace({ runId }: JobContext, { status, provenance }: Entry): boolean {
  return status === 'archived' && provenance?.runId === runId;
}

function archive(context: JobContext, entry: Entry): Promise<RunChange[]> | RunChange[] {
  const { dependencies, tenantId, runId, isDryRun } = context;
  const { entries, embedder, clock } = dependencies;
  if (isDryRun) return [{ action: 'archived', entryId: entry.id, fromVersion: entry.version }];
  return entries.transaction(ownerOfEntry(tenantId, entry), async (tx) => {
    const [current] = await tx.find([entry.id]);
    if (current === undefined || !isRotten(context, current)) return [];
    const now = new Date(clock.now()).toISOString();
    const next = revised(current, { status: 'archived', provenance: { ...current.provenance, runId } }, now);
    await tx.replace([writeOf(next, current, new Embeddings(embedder))]);
    return [changeOf(current.version, next)];
  });
}

function changeOf(fromVersion: number, { id, version }: Entry): RunChange {
  return { action: 'archived', entryId: id, fromVersion, toVersion: version };
}
