/** What the operations on procedural memory do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { proceduralOperations } from './procedural-operations.ts';

export const proceduralHandlers: Handlers<typeof proceduralOperations> = {
  'procedural.add': ({ procedural }, principal, input) => procedural.add(principal, input),
  'procedural.list': ({ procedural }, principal, input) => procedural.list(principal, input),
  'procedural.delete': async ({ procedural }, principal, { id }) => ({
    success: await procedural.delete(principal, id),
  }),
  'procedural.context': ({ procedural }, principal, input) => procedural.context(principal, input),
};
