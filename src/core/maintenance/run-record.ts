/** The record of a run: who holds it, how far it is, and how what a batch did is written down. Pure. */

import {
  MAX_RUN_CHANGES,
  type MaintenanceRun,
  type MaintenanceRunRecord,
  type RunChange,
} from '../../domain/maintenance.ts';
import type { Draft } from '../../ports/record-store.ts';
import { isoAt } from '../records/record.ts';
import type { Batch, Job, Progress } from './job.ts';

/** A run without a heartbeat for this long is abandoned. No batch takes nearly as long. */
export const SILENCE_MS = 60_000;

/** What is kept with a run and not shown. */
interface Standing {
  /** The process that runs it; null if it was released to others. */
  readonly holder: string | null;
  /** When the run before it began, if it looks only at what was written since. */
  readonly since: string | null;
  readonly at: Progress;
}

export function standingOf({ progress }: MaintenanceRunRecord): Standing {
  const { holder = null, since = null, at = {} } = progress as Partial<Standing>;
  return { holder, since, at };
}

function kept(standing: Standing): MaintenanceRunRecord['progress'] {
  return { ...standing };
}

export interface NewRun {
  readonly runId: string;
  readonly job: Job;
  readonly trigger: MaintenanceRun['trigger'];
  readonly dryRun: boolean;
  readonly holder: string;
  readonly since: string | undefined;
}

export function begun(
  { runId, job, trigger, dryRun, holder, since }: NewRun,
  now: number,
): Draft<MaintenanceRunRecord> {
  const at = isoAt(now);
  return {
    runId,
    job: job.name,
    status: 'running',
    trigger,
    dryRun,
    startedAt: at,
    counts: Object.fromEntries(job.counted.map((name) => [name, 0])),
    changes: [],
    progress: kept({ holder, since: since ?? null, at: {} }),
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * Whether nobody carries it out any more. Who leads knows it at once of what is done by schedule: only a leader does that,
 * and there was another one. Should that one not have noticed, it will, with the next batch that it wants to write down.
 */
export function isOrphaned(record: MaintenanceRunRecord, now: number, trigger?: MaintenanceRun['trigger']): boolean {
  if (record.status !== 'running') return false;
  if (trigger === 'schedule' && record.trigger === 'schedule') return true;
  return standingOf(record).holder === null || now - Date.parse(record.updatedAt) > SILENCE_MS;
}

/** With another holder, or with none. */
export function heldBy(record: MaintenanceRunRecord, holder: string | null, now: number): MaintenanceRunRecord {
  return { ...record, progress: kept({ ...standingOf(record), holder }), updatedAt: isoAt(now) };
}

/** After one more batch. What it already tells of is not told, nor counted, twice. */
export function advanced(record: MaintenanceRunRecord, batch: Batch, now: number): MaintenanceRunRecord {
  const told = new Set(record.changes.map(nameOf));
  const fresh = batch.changes.filter((change) => {
    const name = nameOf(change);
    if (change.entryId !== undefined && told.has(name)) return false;
    told.add(name);
    return true;
  });
  const counts = { ...record.counts };
  for (const [name, count] of [...Object.entries(batch.counts), ...fresh.map(({ action }) => [action, 1] as const)]) {
    counts[name] = (counts[name] ?? 0) + count;
  }
  const next: MaintenanceRunRecord = {
    ...record,
    counts,
    changes: [...record.changes, ...fresh, ...(batch.told ?? [])].slice(0, MAX_RUN_CHANGES),
    updatedAt: isoAt(now),
  };
  if (batch.progress === undefined) return ended(next, 'completed', now);
  return { ...next, progress: kept({ ...standingOf(record), at: batch.progress }) };
}

export function ended(
  record: MaintenanceRunRecord,
  status: 'completed' | 'failed',
  now: number,
  error?: string,
): MaintenanceRunRecord {
  return {
    ...record,
    status,
    finishedAt: isoAt(now),
    durationMs: Math.max(0, now - Date.parse(record.startedAt)),
    ...(error !== undefined && { error }),
    progress: {},
    updatedAt: isoAt(now),
  };
}

function nameOf({ action, entryId, toVersion }: RunChange): string {
  return JSON.stringify([action, entryId, toVersion]);
}

/** As it is shown. */
export function shownRun({ progress: _kept, ...run }: MaintenanceRunRecord): MaintenanceRun {
  return run;
}
