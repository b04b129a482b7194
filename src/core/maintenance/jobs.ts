/** All maintenance jobs, by name. */

import type { MaintenanceJob } from '../../domain/maintenance.ts';
import { consolidation } from './consolidation.ts';
import { contextRot } from './context-rot.ts';
import { decay } from './decay.ts';
import { deduplication } from './deduplication.ts';
import { distillation } from './distillation.ts';
import { expiry } from './expiry.ts';
import { integrity } from './integrity.ts';
import type { Job } from './job.ts';
import { merging } from './merging.ts';
import { sessionCleanUp } from './session-clean-up.ts';

export const JOBS: { readonly [Name in MaintenanceJob]: Job } = {
  consolidation,
  deduplication,
  expiry,
  context_rot: contextRot,
  integrity,
  decay,
  merging,
  distillation,
  session_cleanup: sessionCleanUp,
};
