/** Maintenance: what Lamina does with memory by itself, and what it writes down about it. */

import { z } from 'zod';
import { entryId, isoTime } from './entry.ts';
import { recorded } from './record.ts';

export const MAINTENANCE_JOBS = ['consolidation', 'deduplication', 'expiry', 'context_rot', 'integrity'] as const;
export type MaintenanceJob = (typeof MAINTENANCE_JOBS)[number];

export const RUN_STATUSES = ['running', 'completed', 'failed', 'undone'] as const;

/** One thing that a run did, or would do: enough to look at it, and to undo it. */
export const runChangeSchema = z.strictObject({
  action: z.string().describe('What was done: merged, archived, promoted, removed, tampered …'),
  entryId: entryId.optional(),
  /** The version before, where there was one, and after. */
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
    trigger: z.enum(['schedule', 'request']),
    dryRun: z.boolean().describe('It only looked: nothing was changed.'),
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

/** A run as it is stored: with where it stands, so that another process can go on, and when it was last heard of. */
export interface MaintenanceRunRecord extends MaintenanceRun {
  readonly progress: Readonly<Record<string, unknown>>;
}
