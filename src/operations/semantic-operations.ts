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
  "Without a `user_id` it is the tenant's: **everyone in the tenant reads and changes it**; with `public: false` it is your " +
  'own. With a `user_id` it is private to that user, or, where `public` is true, read by everyone in the tenant and changed ' +
  'by that user only: name the user for whatever is about one. An admin may write for others. Written again with another `public`, it moves, keeps its id, and others see none of its private past.';

export const semanticOperations = {
  'semantic.store': operation({
    group: 'Semantic memory',
    summary: 'Store a piece of knowledge: of a user, or of everyone in the tenant.',
    description: `The same \`external_id\`, else the same content, is stored once: the answer says which. ${WHOSE}`,
    input: semanticStoreInputSchema,
    output: semanticWriteOutputSchema,
    http: { method: 'POST', path: '/v1/memory/semantic', status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: { content: CONTENT, externalId: 'error-402', metadata: METADATA }, output: STORED },
  }),
  'semantic.upsert': operation({
    group: 'Semantic memory',
    summary: 'Store a piece of knowledge, or revise the one that says nearly the same.',
    description:
      'As storing, and where neither `external_id` nor content are known, the nearest entry of the same owner and ' +
      `privacy is revised if its raw cosine similarity reaches \`dedupe_threshold\`. Its old text stays in its history. ${WHOSE}`,
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
      'Best first; scores are calibrated, and the default threshold of 0.7 leaves out what merely shares a word.',
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
