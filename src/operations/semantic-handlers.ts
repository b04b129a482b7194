/** What the operations on semantic memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { semanticOperations } from './semantic-operations.ts';

export const semanticHandlers: Handlers<typeof semanticOperations> = {};
