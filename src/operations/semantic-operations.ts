/** Semantic memory: knowledge of a user, or of everyone in the tenant. */

import { NIL_TENANT } from '../domain/principal.ts';
import {
  semanticSearchInputSchema,
  semanticSearchOutputSchema,
  semanticStoreInputSchema,
  semanticUpsertInputSchema,
  semanticWriteOutputSchema,
  type SemanticWriteOutput,
} from '../domain/semantic.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const CONTENT = 'Error 402 means that the card was declined for insufficient funds.';
const METADATA = { source: 'billing handbook' };

const STORED: SemanticWriteOutput = {
  status: 'created',
  id: EXAMPLE_ENTRY.id,
  userId: null,
  public: true,
  embeddingGenerated: true,
  memory: {
    ...EXAMPLE_ENTRY,
    layer: 'company',
    identifiers: { companyId: NIL_TENANT },
    content: CONTENT,
    metadata: METADATA,
    tags: [],
    externalId: 'error-402',
    visibility: 'shared',
    ownerId: null,
  },
};

const WHOSE =
  'Without a `user_id` it belongs to the tenant: **everyone in the tenant can read and change it**; with `public: false` it is ' +
  'yours. With a `user_id` it is private to that user; with `public` true as well, everyone in the tenant can read it and ' +
  'only that user can change it. Name the user for anything about one. An admin may write for others. What a user owns ' +
  'moves when that user writes it again with another `public` (and a `user_id`, unless it becomes private): it keeps its id, and ' +
  'others see none of its private past. What belongs to the tenant never moves: who stores the same privately gets a memory of ' +
  'their own, the one of the tenant stays for everyone, and `warnings` names it.';

export const semanticOperations = {
  'semantic.store': operation({
    group: 'Semantic memory',
    summary: 'Store a piece of knowledge for a user, or for everyone in the tenant.',
    description: `The same \`external_id\`, else the same content, is stored once; see \`status\`. ${WHOSE}`,
    input: semanticStoreInputSchema,
    output: semanticWriteOutputSchema,
    http: { method: 'POST', path: '/v1/memory/semantic', status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: { content: CONTENT, externalId: 'error-402', metadata: METADATA }, output: STORED },
  }),
  'semantic.upsert': operation({
    group: 'Semantic memory',
    summary: 'Store a piece of knowledge, or update the one that says nearly the same.',
    description:
      'Like storing. With `dedupe_threshold`, if neither `external_id` nor content is known, the nearest entry of the same owner ' +
      'and privacy is updated if its raw cosine similarity reaches that, and if it has the same figures, as many negations and no ' +
      `other name. Its old text stays in its history. ${WHOSE}`,
    input: semanticUpsertInputSchema,
    output: semanticWriteOutputSchema,
    http: { method: 'POST', path: '/v1/memory/semantic/upsert', status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: {
      input: { content: 'Error 402: the card was declined for insufficient funds.', dedupeThreshold: 0.9 },
      output: {
        ...STORED,
        status: 'updated',
        memory: {
          ...STORED.memory,
          content: 'Error 402: the card was declined for insufficient funds.',
          version: 2,
          previousVersion: 1,
        },
      },
    },
  }),
  'semantic.search': operation({
    group: 'Semantic memory',
    summary: 'Find knowledge by meaning and by words.',
    description:
      'Searches what is private to you and, unless `include_public` is false, what everyone in the tenant may read. ' +
      'Best first; scores are calibrated, and the default threshold of 0.7 drops results that merely share a word.',
    input: semanticSearchInputSchema,
    output: semanticSearchOutputSchema,
    http: { method: 'GET', path: '/v1/memory/semantic/search', status: 200, names: { query: 'q' } },
    example: {
      input: { query: 'What does error 402 mean?', limit: 3 },
      output: {
        results: [
          {
            id: EXAMPLE_ENTRY.id,
            content: CONTENT,
            metadata: METADATA,
            score: 0.93,
            similarity: 0.68,
            signals: { text: 0.5, vector: 0.8, recency: 1, importance: 0.5, confidence: 1 },
            userId: null,
            public: true,
            externalId: 'error-402',
            tags: [],
            version: 1,
            createdAt: EXAMPLE_ENTRY.createdAt,
            updatedAt: EXAMPLE_ENTRY.updatedAt,
          },
        ],
        count: 1,
      },
    },
  }),
} as const;
