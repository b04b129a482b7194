/** Semantic memory: knowledge that is one user's own, or everyone's in the tenant. */

import { reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchResult } from '../../domain/recall.ts';
import type {
  FoundKnowledge,
  SemanticSearchInput,
  SemanticSearchOutput,
  SemanticStoreInput,
  SemanticUpsertInput,
  SemanticWriteOutput,
} from '../../domain/semantic.ts';
import { trustOf } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { recall } from '../recall/recall.ts';
import { draftAt } from '../remember/draft.ts';
import { assertUnexpired } from '../remember/fields.ts';
import { upsert, type Matching } from '../remember/upsert.ts';
import { sameStatement } from '../text/same-statement.ts';
import { assertSelf, ownershipOf, tenantScope, userScope } from './ownership.ts';

export interface Semantic {
  /** By external id, else by content. */
  store(principal: Principal, input: SemanticStoreInput): Promise<SemanticWriteOutput>;
  /** By external id, else by content, else by meaning where a threshold is given. */
  upsert(principal: Principal, input: SemanticUpsertInput): Promise<SemanticWriteOutput>;
  search(principal: Principal, input: SemanticSearchInput): Promise<SemanticSearchOutput>;
}

export function createSemantic(dependencies: Dependencies): Semantic {
  return {
    store: (principal, input) => write(dependencies, principal, input, undefined),
    upsert: (principal, { dedupeThreshold, ...input }) => write(dependencies, principal, input, dedupeThreshold),
    search: (principal, input) => search(dependencies, principal, input),
  };
}

async function write(
  dependencies: Dependencies,
  principal: Principal,
  input: SemanticStoreInput,
  dedupeThreshold: number | undefined,
): Promise<SemanticWriteOutput> {
  const { actor, placement, elsewhere, everyones } = ownershipOf(principal, input);
  const { userId: _userId, public: _public, isPublic: _isPublic, ...writing } = input;
  assertUnexpired(writing, dependencies.clock.now());
  const placed = draftAt(dependencies, placement, { ...writing, visibility: placement.visibility });
  // By who writes it, and not by whom it is for.
  const draft = { ...placed, made: trustOf(principal, placed.fields) };
  const isOwn = actor.userId === principal.userId;
  let shared: readonly Entry[] = [];
  // Mere similarity must not find somebody else's private knowledge, let alone replace it.
  const matching: Matching = {
    elsewhere,
    ...(everyones && { beside: { placement: everyones, found: (entries) => (shared = entries) } }),
    dedupeThreshold: isOwn ? dedupeThreshold : undefined,
    isSameByMeaning: ({ content }) => sameStatement(content, input.content),
  };
  const { memory, ...outcome } = await upsert(dependencies, actor, draft, matching);
  const shown = isOwn || memory.visibility === 'shared' ? memory : asWritten(memory, writing);
  const warnings = shared.filter(({ status }) => status !== 'quarantined').map(stillShared);
  const told = { ...outcome, id: memory.id, ...privacyOf(memory), memory: shown };
  return warnings.length > 0 ? { ...told, warnings } : told;
}

/** Who wants something private must know that it is not, where everyone has it already. */
function stillShared({ id }: Entry): string {
  return `This belongs to the tenant too, as memory ${id}, which everyone in it can still read. Delete that if nobody else should.`;
}

/** An admin who writes for somebody else gets back what they wrote, not what was there before. */
function asWritten(memory: Entry, { metadata = {}, tags = [] }: Pick<SemanticStoreInput, 'metadata' | 'tags'>): Entry {
  return { ...memory, metadata, tags };
}

async function search(
  dependencies: Dependencies,
  principal: Principal,
  { userId, includePublic = true, filter, ...question }: SemanticSearchInput,
): Promise<SemanticSearchOutput> {
  assertSelf(principal, userId);
  const reach = reachOf(principal, [userScope(principal), tenantScope(principal)], ['semantic']);
  const partitions = includePublic ? reach : reach.filter(({ audience }) => audience === principal.userId);
  const found = await recall(dependencies, principal, { partitions, filter }, { ...question, rank: 'relevance' });
  const results = found.results.map(knowledgeOf);
  return { results, count: results.length, ...(found.warnings.length > 0 && { warnings: found.warnings }) };
}

function privacyOf({ ownerId, visibility }: Entry): { userId: string | null; public: boolean } {
  return { userId: ownerId, public: visibility === 'shared' };
}

function knowledgeOf({ memory, score, similarity, signals }: SearchResult): FoundKnowledge {
  const { id, content, metadata, tags, source, externalId, version, createdAt, updatedAt } = memory;
  return {
    id,
    content,
    metadata,
    score,
    similarity,
    signals,
    ...privacyOf(memory),
    ...(externalId !== undefined && { externalId }),
    tags,
    ...(source !== undefined && { source }),
    version,
    createdAt,
    updatedAt,
  };
}
