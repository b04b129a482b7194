/** What each operation of the table does. */

import { adminHandlers } from './admin-handlers.ts';
import { entryHandlers } from './entry-handlers.ts';
import { episodicHandlers } from './episodic-handlers.ts';
import { eventHandlers } from './event-handlers.ts';
import { planHandlers } from './plan-handlers.ts';
import { proceduralHandlers } from './procedural-handlers.ts';
import { semanticHandlers } from './semantic-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { taskHandlers } from './task-handlers.ts';
import { workingHandlers } from './working-handlers.ts';
import type { Handlers } from './handler.ts';
import type { OPERATIONS } from './table.ts';

export const HANDLERS: Handlers<typeof OPERATIONS> = {
  ...entryHandlers,
  ...semanticHandlers,
  ...episodicHandlers,
  ...proceduralHandlers,
  ...workingHandlers,
  ...taskHandlers,
  ...planHandlers,
  ...sessionHandlers,
  ...eventHandlers,
  ...adminHandlers,
};
