/** What a maintenance job is: work over one tenant, in batches, any of which may be done twice without harm. */

import type { LifecyclePolicy } from '../../domain/lifecycle-policy.ts';
import type { MaintenanceJob, RunChange } from '../../domain/maintenance.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Rest } from './pace.ts';

/** Where a job stands: plain JSON, kept in the record of the run, so that another process can go on from there. */
export type Progress = Readonly<Record<string, unknown>>;

export interface JobContext {
  readonly dependencies: Dependencies;
  readonly tenantId: string;
  readonly runId: string;
  /** It only looks. */
  readonly isDryRun: boolean;
  /** When the last run began that came to its end: what was not written since was looked at then. */
  readonly since: string | undefined;
  /**
   * Somebody was cut short before: the batch may have been done without being written down. What carries the id of this
   * run is then told of again.
   */
  readonly isRepeated: boolean;
  /** Tells to stop: the batch may be cut short where what is left of it is found again. */
  readonly signal: AbortSignal;
  /** To be called after each piece of work, outside of transactions: others have to get by. */
  readonly rest: Rest;
}

export interface Batch {
  /** What was done, or found; counted by its action. What the run already tells of is not counted again. */
  readonly changes: readonly RunChange[];
  /** What was done as well, and is counted otherwise. */
  readonly told?: readonly RunChange[];
  /** What else is counted. */
  readonly counts: Readonly<Record<string, number>>;
  /** Undefined after the last batch. */
  readonly progress: Progress | undefined;
}

export interface Job {
  readonly name: MaintenanceJob;
  /** What a run counts even if there is none of it. */
  readonly counted: readonly string[];
  /** Whether it is wanted, where that can be decided; always, where it is absent. A dry run is possible either way. */
  readonly isOn?: (policy: LifecyclePolicy) => boolean;
  /** The first batch has no progress. */
  batch(context: JobContext, progress: Progress): Promise<Batch>;
}
