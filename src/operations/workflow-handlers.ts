/** What the operations on runs of workflows do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { workflowOperations } from './workflow-operations.ts';

export const workflowHandlers: Handlers<typeof workflowOperations> = {
  'workflows.createPool': (core, principal, input) => core.workflows.createPool(principal, input),
  'workflows.listPools': (core, principal, input) => core.workflows.listPools(principal, input),
  'workflows.end': (core, principal, input) => core.workflows.end(principal, input.workflowRunId),
};
