/** Recall receipts: what a search was asked, what it looked at and by which settings it chose, in ids and numbers. */

import { z } from 'zod';
import { asOfTime } from './browse.ts';
import { entryId, isoTime, layerSchema } from './entry.ts';
import { page, paged } from './record.ts';
import { MODES, RANKS, searchInputSchema, signalsSchema } from './recall.ts';

/** So many of a user are kept: with one more, the oldest goes. */
export const MAX_RECEIPTS = 500;

/** So long they are kept. */
export const RECEIPT_DAYS = 30;

/** So many of what a search looked at are written down: its results, then what came nearest to them. */
export const MAX_RECEIPT_CANDIDATES = 100;

const MAX_RELEVANT = 100;

const candidateFields = {
  memoryId: entryId,
  layer: layerSchema,
  place: z.int().nullable().describe('Its place among the results, from 1; null for what was not among them.'),
  score: z.number(),
  similarity: z.number().nullable().describe('Raw cosine similarity; null where no vector was compared.'),
  signals: signalsSchema,
} as const;

const receiptCandidateSchema = z.strictObject({
  ...candidateFields,
  gone: z.boolean().describe('That the memory is not there any more, or not yours to see.'),
});

const askedSchema = searchInputSchema.omit({ record: true, includeEmbeddings: true });

const configurationSchema = z.strictObject({
  version: z.string().describe('Of Lamina.'),
  mode: z.enum(MODES).describe('As which it was done: `keyword` where the query could not be embedded.'),
  rank: z.enum(RANKS),
  limit: z.int(),
  threshold: z.number(),
  ranking: z.record(z.string(), z.unknown()).describe('Which signals took part.'),
  embedding: z
    .strictObject({ model: z.string(), dimensions: z.int() })
    .nullable()
    .describe('Of the vectors that were compared; null where none were.'),
});

export type RecallConfiguration = z.output<typeof configurationSchema>;

const relevantIds = z
  .array(entryId)
  .max(MAX_RELEVANT)
  .describe('The memories that would have been right, as far as somebody has said so.');

const receiptFields = {
  receiptId: entryId,
  createdAt: isoTime,
  asked: askedSchema.describe('What was asked for, with the identifiers that it came down to.'),
  configuration: configurationSchema,
  totalCount: z.int().describe('How many passed the threshold, before the limit.'),
  candidateCount: z.int().describe('How many were looked at; the best of them are told.'),
  durationMs: z.number(),
  warnings: z.array(z.string()).optional(),
  relevantIds: relevantIds.optional(),
} as const;

/** As it is kept: whether a memory is still there is looked up when the receipt is read. */
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
    candidates: z.array(receiptCandidateSchema).describe('The results in their order, then what came nearest.'),
  })
  .describe('What a search was asked, what it looked at and how it chose. No text of any memory is in it.');

export type RecallReceipt = z.output<typeof recallReceiptSchema>;

export const receiptIdInputSchema = z.strictObject({ receiptId: entryId });

export const listReceiptsInputSchema = z.strictObject({
  since: asOfTime.describe('Only those of this moment and later.'),
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
    'The memories that would have been right, also where the search did not find them. None takes the mark away.',
  ),
});

export type MarkReceiptInput = z.output<typeof markReceiptInputSchema>;
