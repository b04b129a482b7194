/** What the operations of maintenance do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { maintenanceOperations } from './maintenance-operations.ts';

export const maintenanceHandlers: Handlers<typeof maintenanceOperations> = {
  'maintenance.run': (core, principal, input) => core.maintenance.run(principal, input),
  'maintenance.runs': (core, principal, input) => core.maintenance.runs(principal, input),
  'maintenance.get': (core, principal, input) => core.maintenance.get(principal, input.runId),
  'maintenance.undo': (core, principal, input) => core.maintenance.undo(principal, input.runId),
};
