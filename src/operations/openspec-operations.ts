/** The OpenSpec Knowledge Provider protocol, version 1.0.0: its eight endpoints, at both of its prefixes. */

import {
  batchKnowledgeInputSchema,
  batchKnowledgeOutputSchema,
  createKnowledgeInputSchema,
  deleteKnowledgeInputSchema,
  deleteKnowledgeOutputSchema,
  knowledgeMetadataInputSchema,
  knowledgeMetadataOutputSchema,
  updateKnowledgeInputSchema,
  writeKnowledgeOutputSchema,
  type KnowledgeEntry,
} from '../domain/openspec.ts';
import {
  discoverInputSchema,
  discoverOutputSchema,
  knowledgeEventSchema,
  queryKnowledgeInputSchema,
  queryKnowledgeOutputSchema,
  streamKnowledgeInputSchema,
} from '../domain/openspec-query.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation, stream, type HttpBinding } from './operation.ts';

const GROUP = 'OpenSpec';
const PREFIX = '/openspec/v1/knowledge';
const ALIAS = '/api/v1/knowledge';

const { id, createdAt, updatedAt, contentHash } = EXAMPLE_ENTRY;
const OPERATION_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99';
const CONTENT = 'Use PostgreSQL for all new services.';

const METADATA = { title: 'Database selection', tags: ['database'], author: 'ada', custom: { status: 'accepted' } };
const SOURCE = { type: 'git_repository', identifier: 'github.com/acme/docs', version: '4f2c81d' };

const ENTRY: KnowledgeEntry = {
  id,
  content: CONTENT,
  metadata: { ...METADATA, confidence: 1, importance: 0.5 },
  source: SOURCE,
  accessPolicy: 'organization',
  createdAt,
  updatedAt,
  version: 1,
};

/** The same under both prefixes, with the headers of the protocol on every answer. */
function at(method: HttpBinding['method'], path: string, more: Partial<HttpBinding> = {}): HttpBinding {
  return { method, path: PREFIX + path, aliases: [ALIAS + path], status: 200, protocol: 'openspec', ...more };
}

export const openspecOperations = {
  'openspec.discover': operation({
    group: GROUP,
    summary: 'Describe the capabilities of this knowledge provider.',
    input: discoverInputSchema,
    output: discoverOutputSchema,
    http: at('GET', ''),
    example: {
      input: {},
      output: {
        provider: {
          name: 'Lamina',
          version: '1.0.0',
          description: 'Layered memory for AI agents.',
          capabilities: {
            query: {
              modes: ['hybrid', 'keyword', 'semantic'],
              distanceMetrics: ['cosine', 'euclidean', 'dot'],
              layerTypes: ['user', 'company', 'Semantic', 'Archival'],
              maxResults: 1000,
            },
            storage: {
              operations: ['create', 'update', 'delete', 'upsert'],
              accessPolicies: ['private', 'restricted', 'shared', 'organization', 'public'],
            },
            metadata: { customFields: true, versionHistory: true },
            streaming: { formats: ['sse'], events: ['created', 'updated', 'deleted'], resumable: true },
          },
          supportedSources: ['user_upload', 'git_repository'],
          limits: { maxEntrySize: 32768, maxBatchSize: 1000, maxEmbeddingsDim: 384 },
          features: {
            semanticSearch: true,
            hybridSearch: true,
            reranking: false,
            crossLayerQuery: true,
            versioning: true,
            promotion: true,
          },
        },
      },
    },
  }),
  'openspec.query': operation({
    group: GROUP,
    summary: 'Find knowledge by meaning and by words.',
    description:
      'Best first, over all layers that are open to you or the named ones. Without `distance_threshold`, results that score ' +
      'below 0.7 are left out, as in every search; with it, those that are further away.',
    input: queryKnowledgeInputSchema,
    output: queryKnowledgeOutputSchema,
    http: at('POST', '/query'),
    isReading: true,
    example: {
      input: { query: 'Which database do we use?', filters: { tags: ['database'] }, layer: { types: ['Semantic'] } },
      output: {
        queryId: OPERATION_ID,
        results: [
          {
            entry: ENTRY,
            score: 0.86,
            distance: 0.41,
            highlight: { content: ['**Use** PostgreSQL for all new services.'] },
          },
        ],
        metadata: {
          totalResults: 1,
          executionTimeMs: 7,
          layersQueried: ['user', 'company'],
          provider: { name: 'Lamina', version: '1.0.0' },
        },
      },
    },
  }),
  'openspec.create': operation({
    group: GROUP,
    summary: 'Store a piece of knowledge.',
    description: 'The same content under the same policy is stored once: then the status is `updated`.',
    input: createKnowledgeInputSchema,
    output: writeKnowledgeOutputSchema,
    http: at('POST', '/create', { status: 201 }),
    errors: ['CONTENT_TOO_LONG', 'EMBEDDING_FAILED', 'VERSION_CONFLICT'],
    example: {
      input: { entry: { content: CONTENT, metadata: METADATA, source: SOURCE, accessPolicy: 'organization' } },
      output: { entry: ENTRY, status: 'created' },
    },
  }),
  'openspec.update': operation({
    group: GROUP,
    summary: 'Change a piece of knowledge and keep the old version.',
    description:
      'Omitted fields stay; `null` removes a title, description, language or author; custom fields are merged key by ' +
      'key. Another `access_policy` moves it; once it belongs to everyone, that cannot be undone.',
    input: updateKnowledgeInputSchema,
    output: writeKnowledgeOutputSchema,
    http: at('PUT', '/{id}', { ifMatch: 'expectedVersion' }),
    errors: ['MEMORY_NOT_FOUND', 'CONTENT_TOO_LONG', 'EMBEDDING_FAILED', 'VERSION_CONFLICT'],
    example: {
      input: { id, entry: { metadata: { title: 'Databases' } }, expectedVersion: 1 },
      output: {
        entry: { ...ENTRY, metadata: { ...ENTRY.metadata, title: 'Databases' }, version: 2 },
        status: 'updated',
      },
    },
  }),
  'openspec.delete': operation({
    group: GROUP,
    summary: 'Delete a piece of knowledge and everything kept with it.',
    input: deleteKnowledgeInputSchema,
    output: deleteKnowledgeOutputSchema,
    http: at('DELETE', '/{id}', { ifMatch: 'expectedVersion' }),
    absent: { output: null, code: 'MEMORY_NOT_FOUND' },
    example: { input: { id }, output: { deleted: true, entryId: id } },
  }),
  'openspec.batch': operation({
    group: GROUP,
    summary: 'Create, update, upsert or delete up to 1,000 pieces of knowledge.',
    description:
      'In order, each on its own. Without `continue_on_error` it stops at the first failure, and what was done ' +
      'before stays. The answer lists each success and each failure. An upsert updates the entry with its ' +
      'id, or creates one.',
    input: batchKnowledgeInputSchema,
    output: batchKnowledgeOutputSchema,
    http: at('POST', '/batch'),
    isRepeatable: false,
    example: {
      input: {
        operation: 'create',
        entries: [{ content: CONTENT, accessPolicy: 'organization' }, { content: '' }],
        options: { continueOnError: true },
      },
      output: {
        operationId: OPERATION_ID,
        status: 'completed',
        results: {
          succeeded: 1,
          failed: 1,
          entries: [{ index: 0, id, status: 'created' }],
          errors: [
            { index: 1, code: 'VALIDATION_FAILED', message: 'The content is empty; there is nothing to remember.' },
          ],
        },
      },
    },
  }),
  'openspec.stream': stream({
    group: GROUP,
    summary: 'Follow what happens to the knowledge that you may see.',
    description:
      'Server-sent events `created`, `updated` and `deleted`, each with its entry as it is now. Resumes after ' +
      '`Last-Event-ID` (or `after`) without loss or duplicates; without either it starts now.',
    input: streamKnowledgeInputSchema,
    output: knowledgeEventSchema,
    http: at('GET', '/stream', { lastEventId: 'after' }),
    example: {
      input: { after: '5f0c6d9a21be.41' },
      output: { id: '5f0c6d9a21be.42', type: 'created', entryId: id, entry: ENTRY, version: 1, timestamp: createdAt },
    },
  }),
  'openspec.metadata': operation({
    group: GROUP,
    summary: 'Read the metadata and history of a piece of knowledge, without its text.',
    input: knowledgeMetadataInputSchema,
    output: knowledgeMetadataOutputSchema,
    http: at('GET', '/{id}/metadata'),
    example: {
      input: { id },
      output: {
        entryId: id,
        metadata: ENTRY.metadata,
        source: SOURCE,
        versionHistory: [{ version: 1, createdAt, replacedAt: null, contentHash }],
      },
    },
  }),
} as const;
