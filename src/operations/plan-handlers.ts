/** What the operations on plan memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { planOperations } from './plan-operations.ts';

export const planHandlers: Handlers<typeof planOperations> = {};
