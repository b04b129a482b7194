/** What the operations on the items of an agent do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { itemOperations } from './item-operations.ts';

export const itemHandlers: Handlers<typeof itemOperations> = {
  'items.store': ({ items }, principal, input) => items.store(principal, input),
  'items.retrieve': ({ items }, principal, input) => items.retrieve(principal, input),
  'items.list': ({ items }, principal, input) => items.list(principal, input),
  'items.forget': ({ items }, principal, input) => items.forget(principal, input),
};
