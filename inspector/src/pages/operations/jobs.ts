/** The jobs of maintenance, in words. */

import type { MaintenanceJob, MaintenanceRun } from '../../../../src/domain/maintenance.ts';

export const JOB_TEXTS: Readonly<Record<MaintenanceJob, string>> = {
  consolidation: 'Promotes short-term memory that was read three times or more.',
  deduplication: 'Merges memories of one owner and place that say the same.',
  expiry: 'Removes what has expired.',
  context_rot: 'Archives what nobody used in a context for long.',
  integrity: 'Recomputes the hashes of all contents, and tells what does not match.',
  decay: 'Archives what has lost its relevance.',
  merging: 'Makes one of similar memories in places that hold too many.',
  distillation: 'Makes knowledge of episodes that matter.',
  session_cleanup: 'Removes the memories of sessions that ended long ago.',
};

/** Why a run took place. */
export const TRIGGERS: Readonly<Record<MaintenanceRun['trigger'], string>> = {
  schedule: 'by schedule',
  request: 'asked for',
  sweep: 'in the background',
};

export function jobTitle(job: MaintenanceJob): string {
  return job.replaceAll('_', ' ');
}
