/** The OpenSpec Knowledge Provider protocol over entries: another way to say what the rest of the core does. */

import type { DeleteInput } from '../../domain/forget.ts';
import type {
  BatchKnowledgeInput,
  BatchKnowledgeOutput,
  CreateKnowledgeInput,
  KnowledgeMetadataOutput,
  KnowledgeMetadataQuery,
  UpdateKnowledgeInput,
  WriteKnowledgeOutput,
} from '../../domain/openspec.ts';
import type {
  DiscoverOutput,
  KnowledgeEvent,
  QueryKnowledgeInput,
  QueryKnowledgeOutput,
  StreamKnowledgeInput,
} from '../../domain/openspec-query.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import { versions } from '../browse/browse.ts';
import { notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { remove } from '../forget/forget.ts';
import { isOutsideContexts } from '../scoping.ts';
import { batchKnowledge } from './batch.ts';
import { discover } from './discover.ts';
import { followKnowledge } from './follow-knowledge.ts';
import { metadataOf, sourceOf } from './knowledge-fields.ts';
import { queryKnowledge } from './query.ts';
import { createKnowledge, updateKnowledge } from './write-knowledge.ts';

export interface OpenSpec {
  discover(): Promise<DiscoverOutput>;
  query(principal: Principal, input: QueryKnowledgeInput): Promise<QueryKnowledgeOutput>;
  create(principal: Principal, input: CreateKnowledgeInput): Promise<WriteKnowledgeOutput>;
  update(principal: Principal, input: UpdateKnowledgeInput): Promise<WriteKnowledgeOutput>;
  /** False when it was not there. */
  delete(principal: Principal, input: DeleteInput): Promise<boolean>;
  batch(principal: Principal, input: BatchKnowledgeInput): Promise<BatchKnowledgeOutput>;
  /** Throws `MEMORY_NOT_FOUND`. */
  metadata(principal: Principal, input: KnowledgeMetadataQuery): Promise<KnowledgeMetadataOutput>;
  /** As following events; see there. */
  stream(
    principal: Principal,
    input: StreamKnowledgeInput,
    signal: AbortSignal,
  ): AsyncIterable<StreamPage<KnowledgeEvent>>;
}

export function createOpenSpec(dependencies: Dependencies): OpenSpec {
  return {
    discover: () => discover(dependencies),
    query: (principal, input) => queryKnowledge(dependencies, principal, input),
    create: (principal, input) => createKnowledge(dependencies, principal, input),
    update: (principal, input) => updateKnowledge(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input, isOutsideContexts),
    batch: (principal, input) => batchKnowledge(dependencies, principal, input),
    metadata: (principal, input) => metadata(dependencies, principal, input),
    stream: (principal, input, signal) => followKnowledge(dependencies, principal, input, signal),
  };
}

async function metadata(
  dependencies: Dependencies,
  principal: Principal,
  { id, includeCustom = true }: KnowledgeMetadataQuery,
): Promise<KnowledgeMetadataOutput> {
  const history = await versions(dependencies, principal, { id }, isOutsideContexts);
  const [current] = history;
  if (current === undefined) throw notFound(id);
  const { custom, ...own } = metadataOf(current.memory);
  return {
    entryId: id,
    metadata: { ...own, ...(includeCustom && custom !== undefined && { custom }) },
    source: sourceOf(current.memory),
    versionHistory: history.map(({ memory, replacedAt }) => ({
      version: memory.version,
      createdAt: memory.updatedAt,
      replacedAt,
      contentHash: memory.contentHash,
    })),
  };
}
