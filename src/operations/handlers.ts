/** What each operation of the table does. */

import { adminHandlers } from './admin-handlers.ts';
import { bundleHandlers } from './bundle-handlers.ts';
import { contextEntryHandlers } from './context-entry-handlers.ts';
import { contextHandlers } from './context-handlers.ts';
import { contextSnapshotHandlers } from './context-snapshot-handlers.ts';
import { agentMemoryHandlers } from './agent-memory-handlers.ts';
import { entryHandlers } from './entry-handlers.ts';
import { episodicHandlers } from './episodic-handlers.ts';
import { eventHandlers } from './event-handlers.ts';
import { extractionHandlers } from './extraction-handlers.ts';
import { factHandlers } from './fact-handlers.ts';
import { inspectionHandlers } from './inspection-handlers.ts';
import { itemHandlers } from './item-handlers.ts';
import { knowledgeHandlers } from './knowledge-handlers.ts';
import { maintenanceHandlers } from './maintenance-handlers.ts';
import { openspecHandlers } from './openspec-handlers.ts';
import { planHandlers } from './plan-handlers.ts';
import { poolHandlers } from './pool-handlers.ts';
import { principalHandlers } from './principal-handlers.ts';
import { proceduralHandlers } from './procedural-handlers.ts';
import { quarantineHandlers } from './quarantine-handlers.ts';
import { receiptHandlers } from './receipt-handlers.ts';
import { routerHandlers } from './router-handlers.ts';
import { semanticHandlers } from './semantic-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { shortTermHandlers } from './short-term-handlers.ts';
import { taskHandlers } from './task-handlers.ts';
import { turnHandlers } from './turn-handlers.ts';
import { workflowHandlers } from './workflow-handlers.ts';
import { workingHandlers } from './working-handlers.ts';
import type { Handlers } from './handler.ts';
import type { OPERATIONS } from './table.ts';

export const HANDLERS: Handlers<typeof OPERATIONS> = {
  ...entryHandlers,
  ...inspectionHandlers,
  ...quarantineHandlers,
  ...receiptHandlers,
  ...turnHandlers,
  ...semanticHandlers,
  ...episodicHandlers,
  ...extractionHandlers,
  ...proceduralHandlers,
  ...workingHandlers,
  ...itemHandlers,
  ...agentMemoryHandlers,
  ...shortTermHandlers,
  ...routerHandlers,
  ...taskHandlers,
  ...planHandlers,
  ...sessionHandlers,
  ...poolHandlers,
  ...workflowHandlers,
  ...factHandlers,
  ...eventHandlers,
  ...principalHandlers,
  ...adminHandlers,
  ...bundleHandlers,
  ...contextHandlers,
  ...contextEntryHandlers,
  ...contextSnapshotHandlers,
  ...maintenanceHandlers,
  ...knowledgeHandlers,
  ...openspecHandlers,
};
