/** What the operations on turns do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { turnOperations } from './turn-operations.ts';

export const turnHandlers: Handlers<typeof turnOperations> = {
  turnContext: (core, principal, input) => core.turnContext(principal, input),
};
