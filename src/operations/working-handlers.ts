/** What the operations on working memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { workingOperations } from './working-operations.ts';

export const workingHandlers: Handlers<typeof workingOperations> = {};
