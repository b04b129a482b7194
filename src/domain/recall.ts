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
      'The layers that these open are searched, and no other: name your own with them. ' +
        'Default: your own userId and agentId, and your tenant as companyId.',
    ),
  limit: z.int().min(1).max(MAX_SEARCH_LIMIT).optional().describe(`Default ${DEFAULT_SEARCH_LIMIT}.`),
  threshold: z.number().min(0).max(1).optional().describe(`Least score. Default ${DEFAULT_THRESHOLD}.`),
  filter: metadataFilterSchema.optional(),
  mode: z.enum(MODES).optional().describe('Default hybrid: full text and vectors together.'),
  rank: z.enum(RANKS).optional().describe('Default precedence: more specific layers first, then score.'),
  includeArchived: z.boolean().optional().describe('Search what was archived as well. Default false.'),
  includeEmbeddings: z.boolean().optional(),
  rerank: z.boolean().optional().describe('Whether the reranker is asked, where one is configured. Default true.'),
  maxSensitivity: z
    .enum(SENSITIVITIES)
    .optional()
    .describe('What is more sensitive is left out, and counted as withheld. Default: nothing is.'),
  minTrust: z
    .enum(TRUSTS)
    .optional()
    .describe(
      'What is less trusted is not searched. Default: everything is, and each result says how far it is trusted.',
    ),
  record: z
    .boolean()
    .optional()
    .describe('Keep a receipt of this search: what it looked at, in ids and numbers, and how it chose. Default false.'),
  explain: z
    .boolean()
    .optional()
    .describe(
      'Say which words of each result match, what was left out, and why. Does not count as an access. Default false.',
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

/** What a signal can add, or take away. */
const evidenceSchema = z
  .strictObject(
    Object.fromEntries(EVIDENCE.map((name) => [name, z.number().optional()])) as Record<
      (typeof EVIDENCE)[number],
      z.ZodOptional<z.ZodNumber>
    >,
  )
  .describe('What each signal added to the score, or took away: 1 / (1 + exp(-sum)) is the score.');

export type Evidence = z.output<typeof evidenceSchema>;

/** The parts that made a score, each between 0 and 1. Those of conversations are there where they apply. */
export const signalsSchema = z.strictObject({
  text: z
    .number()
    .describe(
      "How much of the query's information the words of the entry cover (BM25); of a turn with those around it.",
    ),
  vector: z
    .number()
    .describe('How far above chance the similarity of meaning is; of a turn half by those just before and after it.'),
  best: z
    .number()
    .optional()
    .describe(
      'How strongly the best of all results speaks: the same for all of them. Not where only words or only meaning are searched.',
    ),
  speaker: z
    .number()
    .optional()
    .describe('1 where the query names who said it, less where it names them after another, 0 for others.'),
  session: z.number().optional().describe('How much the best turns of its session have to say.'),
  time: z.number().optional().describe('1 where it happened at the time that the query names, else 0.'),
  when: z.number().optional().describe('1 where the query asks for a time and it names one, else 0.'),
  fits: z.number().optional().describe('Where the query asks for a name or a number: whether a turn has any.'),
  asks: z.number().optional().describe('1 for a turn that ends with a question.'),
  substance: z.number().optional().describe('How much a turn says: names, times and words, and more than a reaction.'),
  recency: z.number().describe('1 for new, falling with age.'),
  importance: z.number(),
  confidence: z.number(),
  relevance: z.number().optional().describe('The relevance that is left. Only where decay is on and applies.'),
  rerank: z
    .number()
    .optional()
    .describe(
      'How well it answers, as the reranker says, on a scale of its own: 0.5 says nothing. Only where there is one.',
    ),
  evidence: evidenceSchema.optional(),
});

export type Signals = z.output<typeof signalsSchema>;

export const searchResultSchema = z.strictObject({
  memory: entrySchema,
  score: z.number().describe('0 to 1, calibrated: comparable between queries and embedding models.'),
  similarity: z.number().nullable().describe('Raw cosine similarity; null where no vector was compared.'),
  signals: signalsSchema,
  layer: layerSchema,
  matched: z
    .array(z.string())
    .optional()
    .describe('The words of the memory that match a word of the query, as they are written there. Only with explain.'),
});

export type SearchResult = z.output<typeof searchResultSchema>;

/** What kept a candidate from being a result. */
const LEFT_OUT_REASONS = ['threshold', 'decay', 'duplicate', 'limit'] as const;

const leftOutCount = z.int().min(0);

export const leftOutSchema = z.strictObject({
  counts: z
    .strictObject({
      threshold: leftOutCount.describe('Scored less than the threshold.'),
      decay: leftOutCount.describe('Would have passed it, had they not faded.'),
      sensitivity: leftOutCount.describe('More sensitive than maxSensitivity.'),
      trust: leftOutCount.describe('Less trusted than minTrust.'),
      duplicate: leftOutCount.describe('Say what another result says.'),
      limit: leftOutCount.describe('Came after the last result that there was room for.'),
    })
    .describe('Of the candidates that were looked at.'),
  memories: z
    .array(
      z.strictObject({
        id: entrySchema.shape.id,
        layer: layerSchema,
        kind: kindSchema,
        label: z.string().describe('The beginning of what it says.'),
        score: z.number(),
        reason: z.enum(LEFT_OUT_REASONS),
        duplicateOf: entrySchema.shape.id.optional().describe('The memory that says the same.'),
      }),
    )
    .describe('The best of them. What is too sensitive is counted, and not told.'),
});

export type LeftOut = z.output<typeof leftOutSchema>;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export const searchOutputSchema = z.strictObject({
  results: z.array(searchResultSchema),
  totalCount: z.int().describe('How many candidates passed the threshold, before the limit.'),
  searchedLayers: z.array(layerSchema),
  withheld: z
    .int()
    .optional()
    .describe(
      'How many passed the threshold but are more sensitive than maxSensitivity. Present where that was given.',
    ),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
  leftOut: leftOutSchema.optional().describe('Only with explain.'),
  receiptId: z.string().optional().describe('Of the receipt, where one was asked for: see the operations on receipts.'),
});

export type SearchOutput = z.output<typeof searchOutputSchema>;
