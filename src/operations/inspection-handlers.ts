/** What the operations of inspection do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { inspectionOperations } from './inspection-operations.ts';

export const inspectionHandlers: Handlers<typeof inspectionOperations> = {
  stats: (core, principal, input) => core.inspection.stats(principal, input),
  neighbours: (core, principal, input) => core.inspection.neighbours(principal, input),
  lineage: (core, principal, input) => core.inspection.lineage(principal, input),
  decay: (core, principal, input) => core.inspection.decay(principal, input),
  map: (core, principal, input) => core.inspection.map(principal, input),
  'admin.metrics': (core, principal) => core.inspection.vitals(principal),
};
