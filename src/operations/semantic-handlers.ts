/** What the operations on semantic memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { semanticOperations } from './semantic-operations.ts';

export const semanticHandlers: Handlers<typeof semanticOperations> = {
  'semantic.store': ({ semantic }, principal, input) => semantic.store(principal, input),
  'semantic.upsert': ({ semantic }, principal, input) => semantic.upsert(principal, input),
  'semantic.search': ({ semantic }, principal, input) => semantic.search(principal, input),
};
