/** Archiving what is no longer wanted in use: as its next version, which carries the run. */

import type { Entry } from '../../domain/entry.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { ownerOfEntry } from './acting.ts';
import type { JobContext } from './job.ts';

/** Those of a page of which it is true, and still is when they are archived; also what this very run archived before. */
export async function archiveWhere(
  context: JobContext,
  page: readonly Entry[],
  isUnwanted: (entry: Entry) => boolean,
): Promise<RunChange[]> {
  const changes: RunChange[] = [];
  for (const entry of page) {
    if (isUnwanted(entry)) changes.push(...(await archive(context, entry, isUnwanted)));
    else if (context.isRepeated && isTrace(context, entry)) changes.push(changeOf(entry.version - 1, entry));
    else continue;
    await context.rest();
  }
  return changes;
}

function isTrace({ runId }: JobContext, { status, provenance }: Entry): boolean {
  return status === 'archived' && provenance?.runId === runId;
}

function archive(
  { dependencies, tenantId, runId, isDryRun }: JobContext,
  entry: Entry,
  isUnwanted: (entry: Entry) => boolean,
): Promise<RunChange[]> | RunChange[] {
  const { entries, embedder, clock } = dependencies;
  if (isDryRun) return [{ action: 'archived', entryId: entry.id, fromVersion: entry.version }];
  return entries.transaction(ownerOfEntry(tenantId, entry), async (tx) => {
    const [current] = await tx.find([entry.id]);
    if (current === undefined || !isUnwanted(current)) return [];
    const now = new Date(clock.now()).toISOString();
    const next = revised(current, { status: 'archived', provenance: { ...current.provenance, runId } }, now);
    await tx.replace([writeOf(next, current, new Embeddings(embedder))]);
    return [changeOf(current.version, next)];
  });
}

function changeOf(fromVersion: number, { id, version }: Entry): RunChange {
  return { action: 'archived', entryId: id, fromVersion, toVersion: version };
}
