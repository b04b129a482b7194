/** What the provider says of itself. */

import { SOURCE_TYPES } from '../../domain/kind.ts';
import { ACCESS_POLICIES, BATCH_OPERATIONS, KNOWLEDGE_SOURCES, PROVIDER_NAME } from '../../domain/openspec.ts';
import { DISTANCE_METRICS, MAX_RANKED, STORAGE_CLASSES, type DiscoverOutput } from '../../domain/openspec-query.ts';
import { MODES } from '../../domain/recall.ts';
import { LAYERS } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';

export async function discover({ limits, embedder, reranker, version }: Dependencies): Promise<DiscoverOutput> {
  // The model may be out of reach, which is no reason not to answer.
  const dimensions = await embedder.space().then(
    (space) => space.dimensions,
    () => undefined,
  );
  return {
    provider: {
      name: PROVIDER_NAME,
      version: await version(),
      description: 'Layered memory for AI agents.',
      capabilities: {
        query: {
          modes: [...MODES],
          distanceMetrics: [...DISTANCE_METRICS],
          layerTypes: [...LAYERS, ...STORAGE_CLASSES],
          maxResults: MAX_RANKED,
        },
        storage: { operations: [...BATCH_OPERATIONS], accessPolicies: [...ACCESS_POLICIES] },
        metadata: { customFields: true, versionHistory: true },
        streaming: { formats: ['sse'], events: ['created', 'updated', 'deleted'], resumable: true },
      },
      supportedSources: [...KNOWLEDGE_SOURCES, ...SOURCE_TYPES],
      limits: {
        maxEntrySize: limits.contentLength,
        maxBatchSize: limits.batchSize,
        ...(dimensions !== undefined && { maxEmbeddingsDim: dimensions }),
      },
      features: {
        semanticSearch: true,
        hybridSearch: true,
        reranking: reranker !== undefined,
        crossLayerQuery: true,
        versioning: true,
        promotion: true,
      },
    },
  };
}
