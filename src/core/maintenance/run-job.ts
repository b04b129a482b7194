/** Executing a run: claim it, then batch after batch, each recorded, to the end or until aborted. */

import { asLaminaError, LaminaError } from '../../domain/error.ts';
import type { MaintenanceJob, MaintenanceRun, MaintenanceRunRecord } from '../../domain/maintenance.ts';
import { DEFAULT_RETRY_POLICY, withRetries } from '../../domain/retry.ts';
import type { Dependencies } from '../dependencies.ts';
import { systemPrincipal } from './acting.ts';
import { claim, taken } from './claim.ts';
import type { JobContext } from './job.ts';
import { JOBS } from './jobs.ts';
import { paced } from './pace.ts';
import { advanced, ended, heldBy, standingOf } from './run-record.ts';

/** Between two batches, so that writers get through. */
const PAUSE_MS = 10;

export interface RunRequest {
  readonly tenantId: string;
  readonly job: MaintenanceJob;
  readonly trigger: MaintenanceRun['trigger'];
  readonly dryRun: boolean;
  /** Checked between two batches: the run is left to the next process. */
  readonly signal: AbortSignal;
}

/**
 * The run as it ended: completed, failed with the reason, or still running where the signal told to stop. Goes on with one
 * that was left. Throws `VERSION_CONFLICT` when the job is being done for this tenant already; a dry run is in nobody's way.
 */
export async function runJob(dependencies: Dependencies, request: RunRequest): Promise<MaintenanceRunRecord> {
  const holder = dependencies.ids.next();
  const { record, isRepeated } = await claim(dependencies, request, holder);
  const run = new Run(dependencies, request, holder, record);
  const outcome = await run.carryOut(isRepeated);
  tellEnded(dependencies, outcome);
  return outcome;
}

/** Tells telemetry of a run that came to its end. */
export function tellEnded(
  { telemetry }: Pick<Dependencies, 'telemetry'>,
  { job, status, durationMs = 0 }: Pick<MaintenanceRunRecord, 'job' | 'status' | 'durationMs'>,
): void {
  if (status !== 'running') telemetry?.maintenanceEnded?.({ job, status, durationMs });
}

class Run {
  readonly #dependencies: Dependencies;
  readonly #request: RunRequest;
  readonly #holder: string;
  #record: MaintenanceRunRecord;

  constructor(dependencies: Dependencies, request: RunRequest, holder: string, record: MaintenanceRunRecord) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#holder = holder;
    this.#record = record;
  }

  async carryOut(isRepeated: boolean): Promise<MaintenanceRunRecord> {
    const { clock } = this.#dependencies;
    try {
      for (let first = true; this.#record.status === 'running'; first = false) {
        if (this.#request.signal.aborted) return await this.#change((record, now) => heldBy(record, null, now));
        await this.#batch(first && isRepeated);
        await clock.sleep(PAUSE_MS);
      }
      return this.#record;
    } catch (thrown) {
      if (thrown instanceof LostRun) throw taken(this.#record);
      const { message } = asLaminaError(thrown);
      // If this cannot be recorded either, the run stays silent from now on, and is found as abandoned.
      return this.#change((record, now) => ended(record, 'failed', now, message));
    }
  }

  async #batch(isRepeated: boolean): Promise<void> {
    const { clock } = this.#dependencies;
    const { since, at } = standingOf(this.#record);
    const job = JOBS[this.#record.job];
    const context: Omit<JobContext, 'isRepeated' | 'rest'> = {
      dependencies: this.#dependencies,
      tenantId: this.#request.tenantId,
      runId: this.#record.runId,
      isDryRun: this.#record.dryRun,
      since: since ?? undefined,
      signal: this.#request.signal,
    };
    let attempts = 0;
    const batch = await withRetries(
      DEFAULT_RETRY_POLICY,
      (ms) => clock.sleep(ms),
      () => {
        attempts += 1;
        return job.batch({ ...context, isRepeated: isRepeated || attempts > 1, rest: paced(clock) }, at);
      },
    );
    await this.#change((record, now) => advanced(record, batch, now));
  }

  /** Only for as long as nobody has taken the run over. */
  async #change(
    next: (record: MaintenanceRunRecord, now: number) => MaintenanceRunRecord,
  ): Promise<MaintenanceRunRecord> {
    const { records, clock } = this.#dependencies;
    const principal = systemPrincipal(this.#request.tenantId);
    const changed = await records.maintenanceRuns.change(principal, this.#record.runId, (current) => {
      const isOurs = current.status === 'running' && standingOf(current).holder === this.#holder;
      if (!isOurs) throw new LostRun();
      return next(current, clock.now());
    });
    // Gone with its tenant.
    if (changed === null) throw new LostRun();
    this.#record = changed;
    return changed;
  }
}

/** Somebody else carries it out. */
class LostRun extends LaminaError {
  constructor() {
    super('VERSION_CONFLICT', 'The run was taken over.');
  }
}
