/** What the operations on procedural memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { proceduralOperations } from './procedural-operations.ts';

export const proceduralHandlers: Handlers<typeof proceduralOperations> = {};
