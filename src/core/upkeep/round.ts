/** One round of upkeep over all tenants: what has expired or is too old goes, what was left is taken up, what is due is done. */

import { asLaminaError } from '../../domain/error.ts';
import type { MaintenanceJob, MaintenanceRunRecord } from '../../domain/maintenance.ts';
import { SESSION_PREFIX } from '../../domain/namespace.ts';
import { FREQUENT_ACCESSES } from '../../domain/short-term.ts';
import type { Dependencies } from '../dependencies.ts';
import { systemPrincipal } from '../maintenance/acting.ts';
import { runningRuns } from '../maintenance/claim.ts';
import { JOBS } from '../maintenance/jobs.ts';
import { runJob } from '../maintenance/run-job.ts';
import { ended, isOrphaned, SILENCE_MS } from '../maintenance/run-record.ts';
import type { Schedule } from '../maintenance/schedule.ts';
import { pruneContextLogs } from './prune-context-logs.ts';
import { pruneEvents } from './prune-events.ts';
import { removeOldRuns } from './remove-old-runs.ts';
import { sweepTenant } from './sweep-tenant.ts';
import { UpkeepFailures } from './upkeep-failures.ts';

/** In this order: what was promoted can be merged in the same night. */
const NIGHTLY: readonly MaintenanceJob[] = [
  'consolidation',
  'session_cleanup',
  'distillation',
  'deduplication',
  'merging',
  'decay',
  'context_rot',
  'integrity',
];

const TENANTS_PAGE = 100;

/** Runs of a job that are looked at, to tell whether it was done. */
const LATEST = 50;

/** After a failure it is tried again so much later, and not with every round. */
const AFTER_FAILURE_MS = 60 * 60_000;

export interface Round {
  readonly schedule: Schedule | undefined;
  readonly signal: AbortSignal;
}

/** A round, and what has gone wrong in it so far. */
interface Watched extends Round {
  readonly failures: UpkeepFailures;
}

/** When something that is not over yet should be looked at again, if anything is. What fails is told, and tried again the next time. */
export async function upkeepRound(dependencies: Dependencies, round: Round): Promise<number | undefined> {
  const failures = new UpkeepFailures();
  const wakeAt = await roundOfAll(dependencies, { ...round, failures }).catch(failures.in('round'));
  // What is told to stop may fail of that.
  if (!round.signal.aborted) failures.tell(dependencies.telemetry);
  return wakeAt;
}

/** Fails for no single tenant. */
async function roundOfAll(dependencies: Dependencies, round: Watched): Promise<number | undefined> {
  const { archive, state, hot } = dependencies;
  for (const store of new Set([state, hot])) await store.sweep(round.signal).catch(round.failures.in('state'));
  let wakeAt: number | undefined;
  let after: string | undefined;
  for (;;) {
    const tenants = await archive.tenants(TENANTS_PAGE, after);
    for (const tenantId of tenants) {
      if (round.signal.aborted) return undefined;
      // What went wrong stands in the record of the run, where there is one; the others must not wait for it.
      const look = await roundOfTenant(dependencies, tenantId, round).catch(round.failures.in('tenant'));
      wakeAt = earlier(wakeAt, look);
    }
    after = tenants.at(-1);
    if (tenants.length < TENANTS_PAGE) return wakeAt;
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

async function roundOfTenant(
  dependencies: Dependencies,
  tenantId: string,
  round: Watched,
): Promise<number | undefined> {
  const { signal, failures } = round;
  // The next round tries that again; what is due is not to wait for it.
  await sweepTenant(dependencies, tenantId, signal).catch(failures.in('expiry'));
  // What no process that writes is there to tell the index any more.
  await dependencies.indexer?.catchUp(tenantId, signal).catch(failures.in('index'));
  await pruneEvents(dependencies, tenantId, signal).catch(failures.in('events'));
  await pruneContextLogs(dependencies, tenantId, signal).catch(failures.in('context_logs'));
  await removeOldRuns(dependencies, tenantId, signal).catch(failures.in('runs'));
  let wakeAt: number | undefined;
  for (const running of await runningRuns(dependencies, tenantId)) {
    if (!isOrphaned(running, dependencies.clock.now(), 'schedule')) {
      wakeAt = earlier(wakeAt, Date.parse(running.updatedAt) + SILENCE_MS + 1);
    } else if (running.dryRun) await abandon(dependencies, tenantId, running);
    else await run(dependencies, tenantId, running.job, round);
  }
  const due = round.schedule?.lastDue(dependencies.clock.now());
  if (due !== undefined) await runDue(dependencies, tenantId, due, round);
  return wakeAt;
}

/** A dry run that was cut short is worth nothing. */
async function abandon(
  { records, clock }: Dependencies,
  tenantId: string,
  { runId }: MaintenanceRunRecord,
): Promise<void> {
  await records.maintenanceRuns.change(systemPrincipal(tenantId), runId, (current) =>
    isOrphaned(current, clock.now()) ? ended(current, 'failed', clock.now(), 'It was cut short.') : current,
  );
}

/** A run that fails says so itself; one that somebody else carries out is in good hands. */
async function run(
  dependencies: Dependencies,
  tenantId: string,
  job: MaintenanceJob,
  { signal, failures }: Watched,
): Promise<void> {
  if (signal.aborted) return;
  try {
    await runJob(dependencies, { tenantId, job, trigger: 'schedule', dryRun: false, signal });
  } catch (thrown) {
    if (asLaminaError(thrown).code !== 'VERSION_CONFLICT') failures.in('jobs')(thrown);
  }
}

async function runDue(dependencies: Dependencies, tenantId: string, due: number, round: Watched): Promise<void> {
  for (const job of NIGHTLY.filter((name) => JOBS[name].isOn?.(dependencies.lifecycle) ?? true)) {
    if (!(await isDue(dependencies, tenantId, job, due))) continue;
    await run(dependencies, tenantId, job, round);
  }
}

/**
 * What was due while nobody led is done now, once; what was due before there was anything is not missed. What was swept in the background
 * does not count: it did not look at everything.
 */
async function isDue(dependencies: Dependencies, tenantId: string, job: MaintenanceJob, due: number): Promise<boolean> {
  const { records, clock } = dependencies;
  const latest = await records.maintenanceRuns.list(systemPrincipal(tenantId), {
    where: { job: [job], trigger: ['schedule', 'request'] },
    limit: LATEST,
  });
  const runs = latest.filter(({ dryRun }) => !dryRun);
  if (runs.length > 0) return isDueAfter(runs, due, clock.now());
  const since = await beginningOf(dependencies, tenantId, job);
  return since !== undefined && since <= due;
}

/** The latest runs first. */
function isDueAfter(runs: readonly MaintenanceRunRecord[], due: number, now: number): boolean {
  const since = runs.filter(({ startedAt }) => Date.parse(startedAt) >= due);
  if (since.some(({ status }) => status !== 'failed')) return false;
  const [failed] = since;
  return failed === undefined || now - Date.parse(failed.updatedAt) >= AFTER_FAILURE_MS;
}

/** When what the job looks at came to be; undefined where there is nothing for it. */
async function beginningOf(
  { archive, hot }: Dependencies,
  tenantId: string,
  job: MaintenanceJob,
): Promise<number | undefined> {
  if (job === 'consolidation') {
    const [item] = await hot.frequent(tenantId, SESSION_PREFIX, FREQUENT_ACCESSES, 1);
    return item && Date.parse(item.createdAt);
  }
  const { items, last } = await archive.read(tenantId, 'entries', 1);
  const [first] = items;
  // Of what cannot be read it is not known.
  return first === undefined ? last && 0 : Date.parse(first.entry.createdAt);
}
