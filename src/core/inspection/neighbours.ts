/** What lies near a memory by meaning. */

import { reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { MemoryNeighboursInput, MemoryNeighboursOutput } from '../../domain/inspection.ts';
import { NEAR_DUPLICATE_SIMILARITY } from '../../domain/near-duplicate.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeKey, scopeOf, type Scope } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { shown } from '../lifecycle/shown.ts';
import { standsFor } from '../lifecycle/stands-for.ts';
import { candidatesOf } from '../recall/candidates.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';
import { inspected, isOpen } from './inspected.ts';

export async function neighbours(
  dependencies: Dependencies,
  principal: Principal,
  input: MemoryNeighboursInput,
): Promise<MemoryNeighboursOutput> {
  const { entries, embedder, lifecycle } = dependencies;
  const { id, kinds, limit, includeArchived = false } = input;
  const entry = await inspected(dependencies, principal, id);
  const space = await embedder.space();
  const vector = (await entries.vectors(principal, space, [id])).get(id);
  if (vector === undefined) return { neighbours: [], hasEmbedding: false };
  const scopes = scopesAround(principal, entry, input);
  const reach = { partitions: reachOf(principal, scopes, kinds, includeArchived ? 'all' : 'active') };
  const probe = { terms: [], embedding: { space, vector } };
  // One more than asked for: it is its own nearest neighbour.
  const candidates = await candidatesOf(dependencies, principal, reach, probe, limit + 1, []);
  const near = candidates
    .flatMap((one) =>
      one.similarity === undefined || one.id === id ? [] : [{ id: one.id, similarity: one.similarity }],
    )
    .toSorted((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
  const found = await entries.find(
    principal,
    near.map((one) => one.id),
  );
  const byId = new Map(found.filter((other) => isOpen(principal, other)).map((other) => [other.id, other]));
  return {
    neighbours: near.flatMap((one) => {
      const memory = byId.get(one.id);
      if (memory === undefined) return [];
      const isNearDuplicate =
        one.similarity >= NEAR_DUPLICATE_SIMILARITY &&
        standsFor(lifecycle.deduplication, entry.content, memory.content);
      return [{ memory: shown(dependencies, memory), similarity: one.similarity, isNearDuplicate }];
    }),
    hasEmbedding: true,
  };
}

/** What the identifiers open, and where the memory itself lies. */
function scopesAround(
  principal: Principal,
  { layer, identifiers }: Entry,
  input: Pick<MemoryNeighboursInput, 'layers' | 'identifiers'>,
): Scope[] {
  const open = scopesOf(identifiersOf(principal, input.identifiers), input.layers);
  const own = scopeOf(layer, identifiers);
  const isMeant = input.layers === undefined || input.layers.includes(layer);
  return [...new Map([...open, ...(isMeant ? [own] : [])].map((scope) => [scopeKey(scope), scope])).values()];
}
