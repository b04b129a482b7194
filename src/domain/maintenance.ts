/** Maintenance: what Lamina does with memory on its own, and the record of it. */

import { z } from 'zod';
import { entryId, isoTime } from './entry.ts';
import { page, paged, recorded } from './record.ts';

export const MAINTENANCE_JOBS = [
  'consolidation',
  'deduplication',
  'expiry',
  'context_rot',
  'integrity',
  'decay',
  'merging',
  'distillation',
  'session_cleanup',
] as const;
export type MaintenanceJob = (typeof MAINTENANCE_JOBS)[number];

const RUN_STATUSES = ['running', 'completed', 'failed', 'undone'] as const;

/** Jobs that can be undone: what was removed is gone, and read-only jobs change nothing. */
export const UNDOABLE_JOBS: ReadonlySet<MaintenanceJob> = new Set([
  'consolidation',
  'deduplication',
  'context_rot',
  'decay',
  'merging',
  'distillation',
]);

/** The most changes that a run lists. */
export const MAX_RUN_CHANGES = 1000;

/** One thing that a run did or would do: enough to inspect and undo it. */
export const runChangeSchema = z.strictObject({
  action: z.string().describe('What was done, or found: merged, archived, promoted, removed, tampered …'),
  entryId: entryId.optional(),
  /** The version before, if any, and after. */
  fromVersion: z.int().optional(),
  toVersion: z.int().optional(),
  detail: z.string().optional(),
});

export type RunChange = z.output<typeof runChangeSchema>;

export const maintenanceRunSchema = z
  .strictObject({
    runId: entryId,
    job: z.enum(MAINTENANCE_JOBS),
    status: z.enum(RUN_STATUSES),
    trigger: z
      .enum(['schedule', 'request', 'sweep'])
      .describe('On schedule, on request, or as part of the continuous sweep.'),
    dryRun: z.boolean().describe('Nothing was changed.'),
    startedAt: isoTime,
    finishedAt: isoTime.optional(),
    durationMs: z.int().optional(),
    counts: z.record(z.string(), z.int()).describe('How many of what.'),
    changes: z.array(runChangeSchema).describe('What it touched; the first thousand.'),
    error: z.string().optional(),
    ...recorded,
  })
  .describe('One run of a maintenance job over a tenant.');

export type MaintenanceRun = z.output<typeof maintenanceRunSchema>;

/** A run as it is stored: with its progress, so that another process can resume it, and its last heartbeat. */
export interface MaintenanceRunRecord extends MaintenanceRun {
  readonly progress: Readonly<Record<string, unknown>>;
}

export const runMaintenanceInputSchema = z.strictObject({
  job: z.enum(MAINTENANCE_JOBS).describe('What to do.'),
  dryRun: z.boolean().optional().describe('Only report what would be done, and change nothing. Default false.'),
});

export type RunMaintenanceInput = z.output<typeof runMaintenanceInputSchema>;

export const listRunsInputSchema = z.strictObject({
  job: z.enum(MAINTENANCE_JOBS).optional().describe('Only runs of this job.'),
  status: z.enum(RUN_STATUSES).optional().describe('Only runs of this status.'),
  ...paged,
});

export type ListRunsInput = z.output<typeof listRunsInputSchema>;

export const listRunsOutputSchema = z.strictObject({ runs: z.array(maintenanceRunSchema), ...page });

export type ListRunsOutput = z.output<typeof listRunsOutputSchema>;

export const runIdInputSchema = z.strictObject({ runId: entryId });

export const undoRunOutputSchema = z.strictObject({
  run: maintenanceRunSchema,
  undoneCount: z.int().describe('How many memories were restored to their state before the run.'),
  kept: z
    .array(z.strictObject({ entryId, reason: z.string() }))
    .describe('What could not be undone, because somebody changed it since; the first thousand.'),
});

export type UndoRunOutput = z.output<typeof undoRunOutputSchema>;
