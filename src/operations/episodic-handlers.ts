/** What the operations on episodic memory do, in terms of the core. */

import type { episodicOperations } from './episodic-operations.ts';
import type { Handlers } from './handler.ts';

export const episodicHandlers: Handlers<typeof episodicOperations> = {
  'episodic.log': ({ episodic }, principal, input) => episodic.log(principal, input),
  'episodic.recent': ({ episodic }, principal, input) => episodic.recent(principal, input),
  'episodic.search': ({ episodic }, principal, input) => episodic.search(principal, input),
};
