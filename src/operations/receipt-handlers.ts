/** What the operations on recall receipts do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { receiptOperations } from './receipt-operations.ts';

export const receiptHandlers: Handlers<typeof receiptOperations> = {
  'receipts.list': ({ receipts }, principal, input) => receipts.list(principal, input),
  'receipts.get': ({ receipts }, principal, { receiptId }) => receipts.get(principal, receiptId),
  'receipts.mark': ({ receipts }, principal, input) => receipts.mark(principal, input),
  'receipts.delete': async ({ receipts }, principal, { receiptId }) => ({
    success: await receipts.delete(principal, receiptId),
  }),
};
