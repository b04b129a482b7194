/** A query of the protocol: the same recall as everywhere, best first, in pages. */

import {
  MAX_RANKED,
  type DistanceMetric,
  type KnowledgeQueryOptions,
  type QueryKnowledgeInput,
  type QueryKnowledgeOutput,
} from '../../domain/openspec-query.ts';
import type { Entry } from '../../domain/entry.ts';
import { PROVIDER_NAME } from '../../domain/openspec.ts';
import type { Principal } from '../../domain/principal.ts';
import { DEFAULT_SEARCH_LIMIT, DEFAULT_THRESHOLD, type SearchResult } from '../../domain/recall.ts';
import type { Dependencies } from '../dependencies.ts';
import { recall } from '../recall/recall.ts';
import { highlight } from './highlight.ts';
import { knowledgeEntryOf, sourceOf } from './knowledge-fields.ts';
import { queryReach } from './query-reach.ts';

/** How many are fetched if some may be filtered out afterwards. */
const SPARE = 4;
const MIN_SPARE = 200;

const MAX_LIMIT = 100;

export async function queryKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  { query, mode, filters = {}, options = {}, layer }: QueryKnowledgeInput,
): Promise<QueryKnowledgeOutput> {
  const { clock, ids } = dependencies;
  const started = clock.now();
  const { distanceThreshold, distanceMetric = 'cosine', includeContent = true, includeEmbeddings = false } = options;
  const { from, to } = pageOf(options);
  const { reach, layers, warnings } = queryReach(principal, layer, filters);
  const isSifted = distanceThreshold !== undefined || filters.sourceType !== undefined;
  const found = await recall(dependencies, principal, reach, {
    query,
    mode,
    rank: 'relevance',
    limit: isSifted ? Math.min(MAX_RANKED, Math.max(MIN_SPARE, to * SPARE)) : to,
    // Either of the two limits the distance.
    threshold: distanceThreshold === undefined ? DEFAULT_THRESHOLD : 0,
    includeEmbeddings,
  });
  const fitting = found.results.filter(
    ({ memory, similarity }) =>
      isFromSource(memory, filters.sourceType) && isNear(similarity, distanceMetric, distanceThreshold),
  );
  const total = Math.min(isSifted ? fitting.length : found.total, options.topK ?? Number.POSITIVE_INFINITY);
  const told = [...warnings, ...found.warnings];
  return {
    queryId: ids.next(),
    results: fitting.slice(from, to).map((result) => resultOf(result, query, distanceMetric, includeContent)),
    metadata: {
      totalResults: total,
      executionTimeMs: Math.max(0, Math.round(clock.now() - started)),
      layersQueried: layers,
      provider: { name: PROVIDER_NAME, version: await dependencies.version() },
      ...(told.length > 0 && { warnings: told }),
    },
  };
}

/** The page among what is ranked: from the first to before the second. */
function pageOf({ limit, offset = 0, topK = MAX_RANKED }: KnowledgeQueryOptions): { from: number; to: number } {
  const fallback = topK === MAX_RANKED ? DEFAULT_SEARCH_LIMIT : Math.min(topK, MAX_LIMIT);
  const to = Math.min(offset + (limit ?? fallback), topK, MAX_RANKED);
  return { from: Math.min(offset, to), to };
}

/** The condition of the database takes what came by import for what was written as such. */
function isFromSource(memory: Entry, type: string | undefined): boolean {
  return type === undefined || sourceOf(memory).type === type;
}

function isNear(similarity: number | null, metric: DistanceMetric, greatest: number | undefined): boolean {
  if (greatest === undefined) return true;
  return similarity !== null && distanceOf(similarity, metric) <= greatest;
}

/** Vectors have unit length, so that each of the three follows from the cosine. */
export function distanceOf(similarity: number, metric: DistanceMetric): number {
  return metric === 'euclidean' ? Math.sqrt(Math.max(0, 2 - 2 * similarity)) : Math.max(0, 1 - similarity);
}

function resultOf(
  { memory, score, similarity }: SearchResult,
  query: string,
  metric: DistanceMetric,
  hasContent: boolean,
): QueryKnowledgeOutput['results'][number] {
  const passage = hasContent ? highlight(memory.content, query) : undefined;
  return {
    entry: knowledgeEntryOf(memory, hasContent),
    score,
    ...(similarity !== null && { distance: distanceOf(similarity, metric) }),
    ...(passage !== undefined && { highlight: { content: [passage] } }),
  };
}
