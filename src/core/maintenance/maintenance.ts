/** Maintenance on demand, and what there is to know of its runs: for administrators of the tenant. */

import { invalidField } from '../../domain/error.ts';
import type {
  ListRunsInput,
  ListRunsOutput,
  MaintenanceJob,
  MaintenanceRun,
  RunMaintenanceInput,
  UndoRunOutput,
} from '../../domain/maintenance.ts';
import type { Principal } from '../../domain/principal.ts';
import { assertAdmin } from '../admin/assert-admin.ts';
import { recordAct } from '../admin/record-act.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordPage } from '../records/page.ts';
import { orAbsent } from '../records/record.ts';
import { JOBS } from './jobs.ts';
import { runJob } from './run-job.ts';
import { shownRun } from './run-record.ts';
import { undoRun } from './undo.ts';

/** All of it throws `FORBIDDEN` for those who are no administrators. */
export interface Maintenance {
  /** Runs it to its end. Throws `VERSION_CONFLICT` when the job is being done already, `VALIDATION_FAILED` when it is off. */
  run(principal: Principal, input: RunMaintenanceInput): Promise<MaintenanceRun>;
  /** Newest first. */
  runs(principal: Principal, input: ListRunsInput): Promise<ListRunsOutput>;
  get(principal: Principal, runId: string): Promise<MaintenanceRun | null>;
  /** Throws `NOT_FOUND`, `VALIDATION_FAILED` for what cannot be undone, `VERSION_CONFLICT` while it runs. */
  undo(principal: Principal, runId: string): Promise<UndoRunOutput>;
}

export function createMaintenance(dependencies: Dependencies): Maintenance {
  const { maintenanceRuns } = dependencies.records;
  return {
    run: async (principal, { job, dryRun = false }) => {
      assertAdmin(principal);
      if (!dryRun) assertOn(dependencies, job);
      if (!dryRun) await recordAct(dependencies, principal, 'maintenance.run', { about: { job } });
      const { tenantId } = principal;
      const { signal } = new AbortController();
      return shownRun(await runJob(dependencies, { tenantId, job, trigger: 'request', dryRun, signal }));
    },
    runs: (principal, input) => list(dependencies, principal, input),
    get: async (principal, runId) => {
      assertAdmin(principal);
      const record = await maintenanceRuns.get(principal, runId);
      return record && shownRun(record);
    },
    undo: async (principal, runId) => {
      assertAdmin(principal);
      const record = orAbsent('run', await maintenanceRuns.get(principal, runId));
      await recordAct(dependencies, principal, 'maintenance.undo', { about: { runId } });
      return undoRun(dependencies, principal.tenantId, record);
    },
  };
}

/** What is off by the configuration is not done on demand either; what it would do can be looked at. */
function assertOn({ lifecycle }: Dependencies, job: MaintenanceJob): void {
  if (JOBS[job].isOn?.(lifecycle) ?? true) return;
  throw invalidField('job', `${job} is off by the configuration of the service; a dry run tells what it would do`);
}

async function list(
  { records }: Dependencies,
  principal: Principal,
  { job, status, limit, cursor }: ListRunsInput,
): Promise<ListRunsOutput> {
  assertAdmin(principal);
  const { items, nextCursor } = await recordPage(records.maintenanceRuns, principal, {
    list: 'maintenanceRuns',
    where: { ...(job !== undefined && { job: [job] }), ...(status !== undefined && { status: [status] }) },
    limit,
    cursor,
    place: ({ startedAt, runId }) => [startedAt, runId],
  });
  return { runs: items.map(shownRun), count: items.length, nextCursor };
}
