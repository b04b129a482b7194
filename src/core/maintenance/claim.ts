/** Claiming a run: a new one, or an abandoned one; never one that another process is running. */

import { LaminaError } from '../../domain/error.ts';
import type { MaintenanceJob, MaintenanceRunRecord } from '../../domain/maintenance.ts';
import type { Dependencies } from '../dependencies.ts';
import { systemPrincipal } from './acting.ts';
import { JOBS } from './jobs.ts';
import { begun, heldBy, isOrphaned } from './run-record.ts';
import type { RunRequest } from './run-job.ts';

/** More than ever run at once. */
const MANY = 100;

/** How often and how long to see whether somebody gives way. */
const MAX_LOOKS = 10;
const LOOK_MS = 20;

export interface Claim {
  readonly record: MaintenanceRunRecord;
  /** Somebody else was at it before. */
  readonly isRepeated: boolean;
}

type Needs = Pick<Dependencies, 'records' | 'clock' | 'ids'>;
type Wanted = Pick<RunRequest, 'tenantId' | 'job' | 'trigger' | 'dryRun'>;

/** Throws `VERSION_CONFLICT` when somebody is at it. */
export async function claim(needs: Needs, wanted: Wanted, holder: string): Promise<Claim> {
  if (wanted.dryRun) return { record: await begin(needs, wanted, holder), isRepeated: false };
  const running = await rivals(needs, wanted);
  const orphan = running.find((record) => isOrphaned(record, needs.clock.now(), wanted.trigger));
  const live = running.find((record) => record !== orphan);
  if (live !== undefined) throw taken(live);
  if (orphan !== undefined) return { record: await takeOver(needs, wanted, orphan, holder), isRepeated: true };
  return { record: await beginAlone(needs, wanted, holder), isRepeated: false };
}

export function taken({ runId, job, startedAt }: MaintenanceRunRecord): LaminaError {
  return new LaminaError(
    'VERSION_CONFLICT',
    `The job ${job} is being done since ${startedAt}. Wait until it has ended.`,
    {
      details: { runId },
    },
  );
}

/** Dry runs, too. */
export function runningRuns(
  { records }: Pick<Dependencies, 'records'>,
  tenantId: string,
  job?: MaintenanceJob,
): Promise<MaintenanceRunRecord[]> {
  return records.maintenanceRuns.list(systemPrincipal(tenantId), {
    where: { status: ['running'], ...(job !== undefined && { job: [job] }) },
    limit: MANY,
  });
}

/** Dry runs block nobody. */
async function rivals(needs: Needs, { tenantId, job }: Wanted): Promise<MaintenanceRunRecord[]> {
  return (await runningRuns(needs, tenantId, job)).filter(({ dryRun }) => !dryRun);
}

async function begin({ records, clock, ids }: Needs, wanted: Wanted, holder: string): Promise<MaintenanceRunRecord> {
  const { tenantId, job, trigger, dryRun } = wanted;
  const since = job === 'deduplication' ? await lastCompletion(records, tenantId, job) : undefined;
  const run = { runId: ids.next(), job: JOBS[job], trigger, dryRun, holder, since };
  const record = await records.maintenanceRuns.create(systemPrincipal(tenantId), begun(run, clock.now()));
  if (record === null) throw new Error('A new id is taken.');
  return record;
}

/**
 * Of two that begin at the same moment, at least one sees the other. The later id yields at once; the earlier one checks
 * whether the other does, since that one may have seen nobody.
 */
async function beginAlone(needs: Needs, wanted: Wanted, holder: string): Promise<MaintenanceRunRecord> {
  const record = await begin(needs, wanted, holder);
  for (let look = 1; ; look += 1) {
    const running = await rivals(needs, wanted);
    const other = running.find(({ runId }) => runId !== record.runId);
    if (other === undefined) return record;
    if (other.runId < record.runId || look === MAX_LOOKS) {
      await needs.records.maintenanceRuns.remove(systemPrincipal(wanted.tenantId), record.runId);
      throw taken(other);
    }
    await needs.clock.sleep(LOOK_MS);
  }
}

async function takeOver(
  { records, clock }: Needs,
  { tenantId, trigger }: Wanted,
  orphan: MaintenanceRunRecord,
  holder: string,
): Promise<MaintenanceRunRecord> {
  const now = clock.now();
  const record = await records.maintenanceRuns.change(systemPrincipal(tenantId), orphan.runId, (current) => {
    const isSame = current.version === orphan.version;
    if (!isSame || !isOrphaned(current, now, trigger)) throw taken(current);
    // What somebody asked for stays asked for. What was scheduled is not any more where somebody else goes on with it.
    return { ...heldBy(current, holder, now), trigger: current.trigger === 'request' ? 'request' : trigger };
  });
  if (record === null) throw taken(orphan);
  return record;
}

/** When the last run began that came to its end, and changed what there was to change. */
async function lastCompletion(
  records: Needs['records'],
  tenantId: string,
  job: MaintenanceJob,
): Promise<string | undefined> {
  const runs = await records.maintenanceRuns.list(systemPrincipal(tenantId), {
    where: { job: [job], status: ['completed', 'undone'] },
    limit: MANY,
  });
  return runs.find(({ dryRun }) => !dryRun)?.startedAt;
}
