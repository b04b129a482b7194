/** What the operations on admin memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { adminOperations } from './admin-operations.ts';

export const adminHandlers: Handlers<typeof adminOperations> = {};
