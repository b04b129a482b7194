/** Recall receipts: what a search was asked, what it considered and which settings it chose by, as ids and numbers. */

import { z } from 'zod';
import { asOfTime } from './browse.ts';
import { entryId, isoTime, layerSchema } from './entry.ts';
import { page, paged } from './record.ts';
import { MODES, RANKS, searchInputSchema, signalsSchema } from './recall.ts';

/** How many are kept per user: one more evicts the oldest. */
export const MAX_RECEIPTS = 500;

/** How long they are kept. */
export const RECEIPT_DAYS = 30;

/** How many candidates are recorded: the results, then those nearest to them. */
export const MAX_RECEIPT_CANDIDATES = 100;

const MAX_RELEVANT = 100;

const candidateFields = {
  memoryId: entryId,
  layer: layerSchema,
  place: z.int().nullable().describe('Its rank among the results, from 1; null if it was not among them.'),
  score: z.number(),
  similarity: z.number().nullable().describe('Raw cosine similarity; null if no vector was compared.'),
  signals: signalsSchema,
} as const;

const receiptCandidateSchema = z.strictObject({
  ...candidateFields,
  gone: z.boolean().describe('Whether the memory was deleted or is no longer visible to you.'),
});

const askedSchema = searchInputSchema.omit({ record: true, includeEmbeddings: true });

const configurationSchema = z.strictObject({
  version: z.string().describe('Of Lamina.'),
  mode: z.enum(MODES).describe('The mode that was used: `keyword` if the query could not be embedded.'),
  rank: z.enum(RANKS),
  limit: z.int(),
  threshold: z.number(),
  ranking: z.record(z.string(), z.unknown()).describe('Which signals were used.'),
  embedding: z
    .strictObject({ model: z.string(), dimensions: z.int() })
    .nullable()
    .describe('Of the vectors that were compared; null if none were.'),
});

export type RecallConfiguration = z.output<typeof configurationSchema>;

const relevantIds = z.array(entryId).max(MAX_RELEVANT).describe('The memories that were marked as the right results.');

const receiptFields = {
  receiptId: entryId,
  createdAt: isoTime,
  asked: askedSchema.describe('The request, with the identifiers it resolved to.'),
  configuration: configurationSchema,
  totalCount: z.int().describe('How many passed the threshold, before the limit.'),
  candidateCount: z.int().describe('How many were considered; the best of them are listed.'),
  durationMs: z.number(),
  warnings: z.array(z.string()).optional(),
  relevantIds: relevantIds.optional(),
} as const;

/** As it is stored: whether a memory still exists is looked up when the receipt is read. */
const storedReceiptSchema = z.strictObject({
  ...receiptFields,
  candidates: z.array(z.strictObject(candidateFields)),
});

export type StoredReceipt = z.output<typeof storedReceiptSchema>;

export type StoredCandidate = StoredReceipt['candidates'][number];

export const recallReceiptSchema = z
  .strictObject({
    ...receiptFields,
    expiresAt: isoTime,
    candidates: z.array(receiptCandidateSchema).describe('The results in order, then the closest others.'),
  })
  .describe('What a search was asked, what it considered and how it chose. Contains no text of any memory.');

export type RecallReceipt = z.output<typeof recallReceiptSchema>;

export const receiptIdInputSchema = z.strictObject({ receiptId: entryId });

export const listReceiptsInputSchema = z.strictObject({
  since: asOfTime.describe('Only those from this moment on.'),
  ...paged,
});

export type ListReceiptsInput = z.output<typeof listReceiptsInputSchema>;

export const listReceiptsOutputSchema = z.strictObject({
  receipts: z.array(
    z.strictObject({
      receiptId: entryId,
      query: z.string(),
      createdAt: isoTime,
      expiresAt: isoTime,
      resultCount: z.int(),
      relevantIds: relevantIds.optional(),
    }),
  ),
  ...page,
});

export type ListReceiptsOutput = z.output<typeof listReceiptsOutputSchema>;

export const markReceiptInputSchema = z.strictObject({
  receiptId: entryId,
  relevantIds: relevantIds.describe(
    'The memories that would have been right, even if the search did not find them. An empty list removes the mark.',
  ),
});

export type MarkReceiptInput = z.output<typeof markReceiptInputSchema>;
