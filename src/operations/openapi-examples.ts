/** One real call and answer per operation, for the documentation. A test holds them to their schemas. */

import type { OperationInput, OperationName, OperationOutput } from './table.ts';

interface Example<Name extends OperationName> {
  readonly input: OperationInput<Name>;
  readonly output: OperationOutput<Name>;
}

const ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';
const TIME = '2026-11-15T09:30:00.000Z';

const MEMORY: OperationOutput<'add'>['memory'] = {
  id: ID,
  kind: 'semantic',
  layer: 'user',
  identifiers: { userId: 'local' },
  content: 'Ada prefers tea to coffee.',
  metadata: { topic: 'drinks' },
  tags: ['preference'],
  sensitivity: 'internal',
  visibility: 'private',
  importance: 0.5,
  confidence: 1,
  relevance: 1,
  decayFactor: 1,
  ownerId: 'local',
  contentHash: '3f0c2f6b8e1d4a7795c3b2a1908f7e6d5c4b3a291807f6e5d4c3b2a1908f7e6d',
  status: 'active',
  version: 1,
  previousVersion: null,
  accessCount: 0,
  createdAt: TIME,
  updatedAt: TIME,
};

const ADD_INPUT: OperationInput<'add'> = {
  content: 'Ada prefers tea to coffee.',
  layer: 'user',
  tags: ['preference'],
  metadata: { topic: 'drinks' },
};

const ADD_OUTPUT: OperationOutput<'add'> = { memory: MEMORY, status: 'created', embeddingGenerated: true };

const UPDATED: OperationOutput<'add'>['memory'] = {
  ...MEMORY,
  content: 'Ada prefers green tea to coffee.',
  version: 2,
  previousVersion: 1,
};

export const EXAMPLES: { readonly [Name in OperationName]: Example<Name> } = {
  add: { input: ADD_INPUT, output: ADD_OUTPUT },
  addMany: { input: { memories: [ADD_INPUT] }, output: { results: [ADD_OUTPUT] } },
  search: {
    input: { query: 'What does Ada like to drink?', limit: 3, threshold: 0.5 },
    output: {
      results: [
        {
          memory: MEMORY,
          score: 0.83,
          similarity: 0.71,
          signals: { text: 0.4, vector: 0.9, recency: 1, importance: 0.5, confidence: 1 },
          layer: 'user',
        },
      ],
      totalCount: 1,
      searchedLayers: ['user'],
    },
  },
  list: {
    input: { layer: 'user', limit: 10, filter: { tags: ['preference'] } },
    output: { memories: [MEMORY], nextCursor: null, totalCount: 1 },
  },
  get: { input: { id: ID }, output: { memory: MEMORY } },
  update: {
    input: { id: ID, content: 'Ada prefers green tea to coffee.', expectedVersion: 1 },
    output: { memory: UPDATED, embeddingRegenerated: true },
  },
  delete: { input: { id: ID }, output: { success: true } },
  forget: { input: { layer: 'user', filter: { tags: ['preference'] } }, output: { deletedCount: 1 } },
  versions: {
    input: { id: ID },
    output: {
      versions: [
        { memory: UPDATED, replacedAt: null },
        { memory: MEMORY, replacedAt: '2026-11-15T10:00:00.000Z' },
      ],
    },
  },
};
