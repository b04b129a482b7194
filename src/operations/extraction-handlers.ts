/** What remembering a conversation does, in terms of the core. */

import type { extractionOperations } from './extraction-operations.ts';
import type { Handlers } from './handler.ts';

export const extractionHandlers: Handlers<typeof extractionOperations> = {
  remember: (core, principal, input) => core.remember(principal, input),
};
