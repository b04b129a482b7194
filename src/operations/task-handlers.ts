/** What the operations on task memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { taskOperations } from './task-operations.ts';

export const taskHandlers: Handlers<typeof taskOperations> = {};
