/** What the operations on episodic memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { episodicOperations } from './episodic-operations.ts';

export const episodicHandlers: Handlers<typeof episodicOperations> = {};
