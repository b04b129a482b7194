/** What the operations on session memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { sessionOperations } from './session-operations.ts';

export const sessionHandlers: Handlers<typeof sessionOperations> = {};
