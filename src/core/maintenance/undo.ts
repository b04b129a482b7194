/** Undoing a run, where nobody has changed the memories since. */

import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError, invalidField } from '../../domain/error.ts';
import {
  MAX_RUN_CHANGES,
  UNDOABLE_JOBS,
  type MaintenanceRunRecord,
  type UndoRunOutput,
} from '../../domain/maintenance.ts';
import type { Place } from '../../ports/archive.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { revised } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { ownerOfEntry, systemPrincipal } from './acting.ts';
import { readEntries } from './entry-pages.ts';
import { paced } from './pace.ts';
import { isOrphaned, shownRun } from './run-record.ts';

type Kept = UndoRunOutput['kept'][number];

/** Throws `VALIDATION_FAILED` for what cannot be undone at all, `VERSION_CONFLICT` for a run that goes on. Repeatable. */
export async function undoRun(
  dependencies: Dependencies,
  tenantId: string,
  record: MaintenanceRunRecord,
): Promise<UndoRunOutput> {
  assertUndoable(record, dependencies.clock.now());
  const listed = new Set(record.changes.flatMap(({ entryId }) => entryId ?? []));
  const kept: Kept[] = [];
  const rest = paced(dependencies.clock);
  let undoneCount = 0;
  let after: Place | undefined;
  // A run tells of a thousand changes at most, but what it changed carries its id.
  for (;;) {
    const { items, last } = await readEntries(dependencies, tenantId, after);
    if (last === undefined) break;
    for (const { entry } of items) {
      const isTouched = listed.delete(entry.id) || entry.provenance?.runId === record.runId;
      if (!isTouched) continue;
      if (await undoEntry(dependencies, tenantId, record, entry)) undoneCount += 1;
      else kept.push({ entryId: entry.id, reason: 'It was changed since.' });
      await rest();
    }
    after = last;
    await rest();
  }
  for (const entryId of listed) kept.push({ entryId, reason: 'It was deleted since.' });
  const run = await markUndone(dependencies, tenantId, record);
  return { run: shownRun(run), undoneCount, kept: kept.slice(0, MAX_RUN_CHANGES) };
}

function assertUndoable(record: MaintenanceRunRecord, now: number): void {
  if (record.dryRun) throw invalidField('runId', 'it was a dry run, which changed nothing');
  if (!UNDOABLE_JOBS.has(record.job)) {
    throw invalidField('runId', `what ${record.job} does cannot be undone; ${[...UNDOABLE_JOBS].join(', ')} can be`);
  }
  if (record.status === 'running' && !isOrphaned(record, now)) {
    throw new LaminaError('VERSION_CONFLICT', 'The run is not over. Wait until it has ended.');
  }
}

async function markUndone(
  { records, clock }: Dependencies,
  tenantId: string,
  record: MaintenanceRunRecord,
): Promise<MaintenanceRunRecord> {
  const marked = await records.maintenanceRuns.change(systemPrincipal(tenantId), record.runId, (current) => ({
    ...current,
    status: 'undone',
    progress: {},
    updatedAt: isoAt(clock.now()),
  }));
  return marked ?? record;
}

/** False when somebody changed it since. */
async function undoEntry(
  { entries, embedder, clock }: Dependencies,
  tenantId: string,
  { runId }: MaintenanceRunRecord,
  seen: Entry,
): Promise<boolean> {
  const owner = ownerOfEntry(tenantId, seen);
  const past = (await entries.history(owner, seen.id)).map(({ memory }) => memory);
  const latest = [seen, ...past].findIndex((entry) => entry.provenance?.runId === runId);
  if (latest === -1) return false;
  // Behind the versions of this run stands how it was before; nothing does where the run made it.
  const before = [seen, ...past].slice(latest).find((entry) => entry.provenance?.runId !== runId);
  if (latest > 0) return isAsBefore(seen, before);
  return entries.transaction(owner, async (tx) => {
    const [current] = await tx.find([seen.id]);
    if (current?.version !== seen.version) return false;
    const next = undone(current, before, isoAt(clock.now()), await mergedIntoAll(tx, current));
    if (next !== current) await tx.replace([writeOf(next, current, new Embeddings(embedder))]);
    return true;
  });
}

/** Undone already: by an undoing that was cut short, say. */
function isAsBefore(entry: Entry, before: Entry | undefined): boolean {
  if (before === undefined) return entry.status === 'archived';
  return isDeepStrictEqual(stateOf(entry), stateOf(before));
}

/** Without what every version has of its own, and without what is counted. */
function stateOf(entry: Entry): unknown {
  const apart = { version: 0, previousVersion: 0, updatedAt: '', accessCount: 0 };
  return { ...entry, ...apart, lastAccessedAt: undefined, provenance: undefined };
}

/**
 * What it was merged into, what that was merged into, and so on: the last of these is the same for all that came together.
 * What was undone before tells what it was taken out of.
 */
async function mergedIntoAll(tx: EntryTransaction, { provenance }: Entry): Promise<string[]> {
  const ids = new Set<string>();
  let into = provenance?.mergedInto;
  while (into !== undefined && !ids.has(into)) {
    ids.add(into);
    const [entry] = await tx.find([into]);
    for (const id of entry?.provenance?.distinctFrom ?? []) ids.add(id);
    into = entry?.provenance?.mergedInto;
  }
  return [...ids];
}

/** As its next version: nothing is overwritten. What came together in one memory does not do so again. */
function undone(current: Entry, before: Entry | undefined, now: string, apart: readonly string[]): Entry {
  if (before === undefined) return revised(current, { status: 'archived' }, now);
  const { accessCount, lastAccessedAt, version } = current;
  const next: Entry = { ...before, accessCount, version: version + 1, previousVersion: version, updatedAt: now };
  if (lastAccessedAt !== undefined) next.lastAccessedAt = lastAccessedAt;
  if (apart.length > 0) {
    const distinctFrom = [...new Set([...(current.provenance?.distinctFrom ?? []), ...apart])];
    next.provenance = { ...before.provenance, distinctFrom };
  }
  // Nor is an episode distilled again.
  const { distilledInto } = current.provenance ?? {};
  if (distilledInto !== undefined) next.provenance = { ...next.provenance, distilledInto };
  return next;
}
