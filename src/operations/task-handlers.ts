/** What the operations on task contexts do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { taskOperations } from './task-operations.ts';

export const taskHandlers: Handlers<typeof taskOperations> = {
  'tasks.save': (core, principal, input) => core.tasks.save(principal, input),
  'tasks.list': (core, principal, input) => core.tasks.list(principal, input),
  'tasks.get': (core, principal, input) => core.tasks.get(principal, input.taskId),
  'tasks.bySubtask': (core, principal, input) => core.tasks.bySubtask(principal, input.subtaskId),
  'tasks.update': (core, principal, input) => core.tasks.update(principal, input),
  'tasks.delete': async (core, principal, input) => ({ success: await core.tasks.delete(principal, input) }),
};
