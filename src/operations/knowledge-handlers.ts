/** What the operations on knowledge do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { knowledgeOperations } from './knowledge-operations.ts';

export const knowledgeHandlers: Handlers<typeof knowledgeOperations> = {
  'knowledge.sync': ({ knowledge }, principal, input) => knowledge.sync(principal, input),
};
