/** Removing what is over of one tenant, entries, pools and memories of old sessions: all the time, and not only when asked. */

import type { MaintenanceRunRecord } from '../../domain/maintenance.ts';
import type { Dependencies } from '../dependencies.ts';
import { systemPrincipal } from '../maintenance/acting.ts';
import { expiry, STATE_IS_NEXT } from '../maintenance/expiry.ts';
import type { Batch, Job, JobContext, Progress } from '../maintenance/job.ts';
import { paced } from '../maintenance/pace.ts';
import { tellEnded } from '../maintenance/run-job.ts';
import { advanced, begun } from '../maintenance/run-record.ts';
import { LATELY, sessionCleanUp } from '../maintenance/session-clean-up.ts';

/** Written down only where anything was removed: it happens again and again. Any number of processes may be at it. */
export async function sweepTenant(dependencies: Dependencies, tenantId: string, signal: AbortSignal): Promise<void> {
  await sweep(dependencies, tenantId, expiry, {}, signal);
  if (sessionCleanUp.isOn?.(dependencies.lifecycle)) {
    await sweep(dependencies, tenantId, sessionCleanUp, LATELY, signal);
  }
}

async function sweep(
  dependencies: Dependencies,
  tenantId: string,
  job: Job,
  from: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { records, clock, ids } = dependencies;
  const runId = ids.next();
  const draft = begun({ runId, job, trigger: 'sweep', dryRun: false, holder: runId, since: undefined }, clock.now());
  let record: MaintenanceRunRecord = { ...draft, version: 0 };
  const run = { dependencies, tenantId, runId, isDryRun: false, since: undefined, isRepeated: false };
  const context: JobContext = { ...run, signal, rest: paced(clock) };
  let progress: Progress | undefined = from;
  while (progress !== undefined && progress !== STATE_IS_NEXT && !signal.aborted) {
    const batch: Batch = await job.batch(context, progress);
    record = advanced(record, batch, clock.now());
    progress = batch.progress;
  }
  if (Object.values(record.counts).every((count) => count === 0)) return;
  const { version: _none, ...finished } = advanced(
    record,
    { changes: [], counts: {}, progress: undefined },
    clock.now(),
  );
  await records.maintenanceRuns.create(systemPrincipal(tenantId), finished);
  tellEnded(dependencies, finished);
}
