/** Maintenance: running its jobs, seeing what they did, and undoing it. */

import {
  listRunsInputSchema,
  listRunsOutputSchema,
  maintenanceRunSchema,
  runIdInputSchema,
  runMaintenanceInputSchema,
  undoRunOutputSchema,
  type MaintenanceRun,
} from '../domain/maintenance.ts';
import { operation } from './operation.ts';

const GROUP = 'Maintenance';
const PATH = '/v1/memory/maintenance';

const RUN: MaintenanceRun = {
  runId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e66',
  job: 'deduplication',
  status: 'completed',
  trigger: 'request',
  dryRun: false,
  startedAt: '2026-11-15T04:00:00.000Z',
  finishedAt: '2026-11-15T04:00:02.500Z',
  durationMs: 2500,
  counts: { examined: 120, merged: 1 },
  changes: [
    {
      action: 'merged',
      entryId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e55',
      fromVersion: 1,
      toVersion: 2,
      detail: 'into 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88',
    },
  ],
  version: 31,
  createdAt: '2026-11-15T04:00:00.000Z',
  updatedAt: '2026-11-15T04:00:02.500Z',
};

export const maintenanceOperations = {
  'maintenance.run': operation({
    group: GROUP,
    summary: 'Run a maintenance job over the tenant, now.',
    description:
      '`consolidation` promotes short-term memory that was read three times or more. `deduplication` merges memories of ' +
      'one owner and place that say the same (similarity 0.92 or more). `expiry` removes what has expired. `context_rot` ' +
      'archives context entries that nobody used for long. `integrity` recomputes the hashes of all contents. Four are off ' +
      'unless the service is configured for them: `decay` archives what has lost its relevance, `merging` combines ' +
      'similar memories in places that hold too many, `distillation` turns important episodes into knowledge, ' +
      '`session_cleanup` removes the memories of sessions that ended long ago. Returns when the run has ended, with what ' +
      'it did; with `dry_run`, what it would do. An interrupted run is resumed. 409 while the job is already ' +
      'running. For administrators.',
    input: runMaintenanceInputSchema,
    output: maintenanceRunSchema,
    http: { method: 'POST', path: `${PATH}/{job}`, status: 200 },
    errors: ['VERSION_CONFLICT'],
    isRepeatable: false,
    example: { input: { job: 'deduplication', dryRun: false }, output: RUN },
  }),
  'maintenance.runs': operation({
    group: GROUP,
    summary: 'List the runs of maintenance jobs, newest first.',
    description: 'From the last ninety days. For administrators.',
    input: listRunsInputSchema,
    output: listRunsOutputSchema,
    http: { method: 'GET', path: `${PATH}/runs`, status: 200 },
    example: { input: { job: 'deduplication', limit: 10 }, output: { runs: [RUN], count: 1, nextCursor: null } },
  }),
  'maintenance.get': operation({
    group: GROUP,
    summary: 'Read one run of a maintenance job.',
    description: 'For administrators.',
    input: runIdInputSchema,
    output: maintenanceRunSchema,
    http: { method: 'GET', path: `${PATH}/runs/{run_id}`, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: { runId: RUN.runId }, output: RUN },
  }),
  'maintenance.undo': operation({
    group: GROUP,
    summary: 'Undo a run.',
    description:
      'Archived memories are restored, merged ones are separated and not merged again, promoted ones are archived; each ' +
      'as a new version. Memories that somebody changed since stay as they are, and are listed in the answer. For runs of ' +
      'consolidation, deduplication, context_rot, decay, merging and distillation. For administrators.',
    input: runIdInputSchema,
    output: undoRunOutputSchema,
    http: { method: 'POST', path: `${PATH}/runs/{run_id}/undo`, status: 200 },
    errors: ['NOT_FOUND', 'VERSION_CONFLICT'],
    example: {
      input: { runId: RUN.runId },
      output: { run: { ...RUN, status: 'undone' }, undoneCount: 2, kept: [] },
    },
  }),
} as const;
