/** Recall receipts: what recorded searches considered and how they chose. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  listReceiptsInputSchema,
  listReceiptsOutputSchema,
  markReceiptInputSchema,
  MAX_RECEIPTS,
  RECEIPT_DAYS,
  receiptIdInputSchema,
  recallReceiptSchema,
  type RecallReceipt,
} from '../domain/recall-receipt.ts';
import { operation } from './operation.ts';

const GROUP = 'Recall receipts';
const PATH = '/v1/memory/receipts';
const RECEIPT_PATH = `${PATH}/{receipt_id}`;

const MEMORY_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

const RECEIPT: RecallReceipt = {
  receiptId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e91',
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2026-12-15T09:30:00.000Z',
  asked: { query: 'What does Ada like to drink?', limit: 3, identifiers: { userId: 'local' } },
  configuration: {
    version: '0.1.0',
    mode: 'hybrid',
    rank: 'precedence',
    limit: 3,
    threshold: 0.7,
    ranking: { neighbours: true },
    embedding: { model: 'all-MiniLM-L6-v2', dimensions: 384 },
  },
  totalCount: 1,
  candidateCount: 1,
  durationMs: 3,
  candidates: [
    {
      memoryId: MEMORY_ID,
      layer: 'user',
      place: 1,
      score: 0.83,
      similarity: 0.71,
      signals: { text: 0.4, vector: 0.9, recency: 1, importance: 0.5, confidence: 1 },
      gone: false,
    },
  ],
};

export const receiptOperations = {
  'receipts.list': operation({
    group: GROUP,
    summary: 'List your receipts of recorded searches, oldest first.',
    description:
      `A search with \`record\` keeps a receipt. Your last ${MAX_RECEIPTS} are kept, each for ` +
      `${RECEIPT_DAYS} days. No other user sees them.`,
    input: listReceiptsInputSchema,
    output: listReceiptsOutputSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    example: {
      input: { since: '2026-11-15T00:00:00.000Z', limit: 10 },
      output: {
        receipts: [
          {
            receiptId: RECEIPT.receiptId,
            query: RECEIPT.asked.query,
            createdAt: RECEIPT.createdAt,
            expiresAt: RECEIPT.expiresAt,
            resultCount: 1,
          },
        ],
        count: 1,
        nextCursor: null,
      },
    },
  }),
  'receipts.get': operation({
    group: GROUP,
    summary: 'Read a receipt: the candidates of a search with all signals, and how it chose.',
    description:
      'Memories are listed by id, never by text; each says whether it was deleted since or is no longer visible to you.',
    input: receiptIdInputSchema,
    output: recallReceiptSchema,
    http: { method: 'GET', path: RECEIPT_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: { receiptId: RECEIPT.receiptId }, output: RECEIPT },
  }),
  'receipts.mark': operation({
    group: GROUP,
    summary: 'Mark which memories would have been the right results.',
    description:
      'A replay can then report not only what moved, but how many of the right ones are found. Replaces earlier marks.',
    input: markReceiptInputSchema,
    output: recallReceiptSchema,
    http: { method: 'PUT', path: `${RECEIPT_PATH}/relevant`, status: 200 },
    errors: ['NOT_FOUND', 'MEMORY_NOT_FOUND'],
    example: {
      input: { receiptId: RECEIPT.receiptId, relevantIds: [MEMORY_ID] },
      output: { ...RECEIPT, relevantIds: [MEMORY_ID] },
    },
  }),
  'receipts.delete': operation({
    group: GROUP,
    summary: 'Delete a receipt.',
    input: receiptIdInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: RECEIPT_PATH, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: { receiptId: RECEIPT.receiptId }, output: { success: true } },
  }),
} as const;
