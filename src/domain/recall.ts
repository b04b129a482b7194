/** What a search asks for and what it answers. */

import { z } from 'zod';
import { asOfTime } from './browse.ts';
import { entrySchema, identifiersSchema, kindSchema, layerSchema } from './entry.ts';
import { metadataFilterSchema } from './filter.ts';
import { SENSITIVITIES, TRUSTS } from './kind.ts';

export const MODES = ['hybrid', 'keyword', 'semantic'] as const;
export const RANKS = ['precedence', 'relevance'] as const;

export const DEFAULT_SEARCH_LIMIT = 10;
const MAX_SEARCH_LIMIT = 100;

/** The default of the specification. Scores are calibrated, so it means the same for every embedding model. */
export const DEFAULT_THRESHOLD = 0.7;

export const searchInputSchema = z.strictObject({
  query: z.string().trim().min(1).describe('What to look for, in natural language.'),
  layers: z.array(layerSchema).min(1).optional().describe('Default: every layer that the identifiers open.'),
  kinds: z.array(kindSchema).min(1).optional().describe('Default: all kinds.'),
  identifiers: identifiersSchema
    .optional()
    .describe(
      'Only the layers that these open are searched: include your own. ' +
        'Default: your own userId and agentId, and your tenant as companyId.',
    ),
  limit: z.int().min(1).max(MAX_SEARCH_LIMIT).optional().describe(`Default ${DEFAULT_SEARCH_LIMIT}.`),
  threshold: z.number().min(0).max(1).optional().describe(`Minimum score. Default ${DEFAULT_THRESHOLD}.`),
  filter: metadataFilterSchema.optional(),
  mode: z.enum(MODES).optional().describe('Default hybrid: full text and vectors together.'),
  rank: z.enum(RANKS).optional().describe('Default precedence: more specific layers first, then score.'),
  includeArchived: z.boolean().optional().describe('Search archived memories as well. Default false.'),
  includeEmbeddings: z.boolean().optional(),
  rerank: z.boolean().optional().describe('Whether to use the reranker, if one is configured. Default true.'),
  maxSensitivity: z
    .enum(SENSITIVITIES)
    .optional()
    .describe('More sensitive memories are left out, and counted as withheld. Default: none.'),
  minTrust: z
    .enum(TRUSTS)
    .optional()
    .describe('Less trusted memories are not searched. Default: all are, and each result says how far it is trusted.'),
  record: z
    .boolean()
    .optional()
    .describe(
      'Keep a receipt of this search: what it considered, as ids and numbers, and how it chose. Default false.',
    ),
  explain: z
    .boolean()
    .optional()
    .describe(
      'Report which words of each result match, what was left out, and why. Does not count as an access. Default false.',
    ),
  asOf: asOfTime.describe('Search memory as it stood at that moment, and only what held then. Default: as it is now.'),
});

export type SearchInput = z.output<typeof searchInputSchema>;

const EVIDENCE = [
  'bias',
  'text',
  'vector',
  'best',
  'speaker',
  'session',
  'time',
  'when',
  'fits',
  'asks',
  'substance',
  'recency',
  'importance',
  'confidence',
  'relevance',
  'rerank',
] as const;

/** What a signal can add or subtract. */
const evidenceSchema = z
  .strictObject(
    Object.fromEntries(EVIDENCE.map((name) => [name, z.number().optional()])) as Record<
      (typeof EVIDENCE)[number],
      z.ZodOptional<z.ZodNumber>
    >,
  )
  .describe('What each signal added to the score or subtracted from it: the score is 1 / (1 + exp(-sum)).');

export type Evidence = z.output<typeof evidenceSchema>;

/** The parts that made a score, each between 0 and 1. Those of conversations are present only where they apply. */
export const signalsSchema = z.strictObject({
  text: z
    .number()
    .describe(
      "How much of the query's information the words of the entry cover (BM25); for a turn, together with its neighbours.",
    ),
  vector: z
    .number()
    .describe(
      'How far the vector similarity is above chance; for a turn, half of it comes from the turns just before and after.',
    ),
  best: z
    .number()
    .optional()
    .describe(
      'How strong the best result is: the same value for all results, except turns of short chats that count by themselves. Only in hybrid mode.',
    ),
  speaker: z
    .number()
    .optional()
    .describe('1 if the query names who said it, less if it names them after another person, else 0.'),
  session: z.number().optional().describe('How strong the best turns of its session are.'),
  time: z.number().optional().describe('1 if it happened at the time that the query names, else 0.'),
  when: z.number().optional().describe('1 if the query asks for a time and it names one, else 0.'),
  fits: z.number().optional().describe('If the query asks for a name or a number: whether a turn contains one.'),
  asks: z.number().optional().describe('1 for a turn that ends with a question.'),
  substance: z
    .number()
    .optional()
    .describe('How much a turn says: names, times and words, as opposed to a mere reaction.'),
  recency: z.number().describe('1 for new, falling with age.'),
  importance: z.number(),
  confidence: z.number(),
  relevance: z.number().optional().describe('The relevance after decay. Only if decay is on and applies.'),
  rerank: z
    .number()
    .optional()
    .describe(
      'How well it answers according to the reranker, on its own scale; 0.5 is neutral. Only if there is a reranker.',
    ),
  evidence: evidenceSchema.optional(),
});

export type Signals = z.output<typeof signalsSchema>;

export const searchResultSchema = z.strictObject({
  memory: entrySchema,
  score: z.number().describe('0 to 1, calibrated: comparable between queries and embedding models.'),
  similarity: z.number().nullable().describe('Raw cosine similarity; null if no vector was compared.'),
  signals: signalsSchema,
  layer: layerSchema,
  matched: z
    .array(z.string())
    .optional()
    .describe('The words of the memory that match a word of the query, as written there. Only with explain.'),
});

export type SearchResult = z.output<typeof searchResultSchema>;

/** What kept a candidate from being a result. */
const LEFT_OUT_REASONS = ['threshold', 'decay', 'duplicate', 'limit'] as const;

const leftOutCount = z.int().min(0);

export const leftOutSchema = z.strictObject({
  counts: z
    .strictObject({
      threshold: leftOutCount.describe('Scored below the threshold.'),
      decay: leftOutCount.describe('Would have passed it without decay.'),
      sensitivity: leftOutCount.describe('More sensitive than maxSensitivity.'),
      trust: leftOutCount.describe('Less trusted than minTrust.'),
      duplicate: leftOutCount.describe('Say the same as another result.'),
      limit: leftOutCount.describe('Ranked below the last result within the limit.'),
    })
    .describe('Of the candidates considered.'),
  memories: z
    .array(
      z.strictObject({
        id: entrySchema.shape.id,
        layer: layerSchema,
        kind: kindSchema,
        label: z.string().describe('The beginning of its content.'),
        score: z.number(),
        reason: z.enum(LEFT_OUT_REASONS),
        duplicateOf: entrySchema.shape.id.optional().describe('The memory that says the same.'),
      }),
    )
    .describe('The best of them. Memories that are too sensitive are counted but not listed.'),
});

export type LeftOut = z.output<typeof leftOutSchema>;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** Not the total: that would mean scanning all of them. */
export const passedCountSchema = z
  .int()
  .describe(
    'How many of the candidates passed the threshold, before the limit. In a large memory only the best are candidates; ' +
      'a higher limit admits more.',
  );

export const searchOutputSchema = z.strictObject({
  results: z.array(searchResultSchema),
  totalCount: passedCountSchema,
  searchedLayers: z.array(layerSchema),
  withheld: z
    .int()
    .optional()
    .describe('How many passed the threshold but are more sensitive than maxSensitivity. Present if that was given.'),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
  leftOut: leftOutSchema.optional().describe('Only with explain.'),
  receiptId: z
    .string()
    .optional()
    .describe('The id of the receipt, if one was requested: see the operations on receipts.'),
});

export type SearchOutput = z.output<typeof searchOutputSchema>;
