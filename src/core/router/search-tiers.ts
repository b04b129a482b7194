/** Searching the two tiers that hold text: long-term memory, and what is shared. */

import type { Principal } from '../../domain/principal.ts';
import type { RouterSearchInput, RouterSearchOutput, SearchedTier } from '../../domain/router.ts';
import { accessibleLayers, PERSONAL_LAYERS, type Identifiers, type Layer } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownAgent } from '../own-agent.ts';
import { search } from '../recall/search.ts';

function tierOf(layer: Layer): SearchedTier {
  return PERSONAL_LAYERS.has(layer) ? 'long_term' : 'shared';
}

/** Best first, whichever tier it is of, unless another rank is asked for. */
export async function searchTiers(
  dependencies: Dependencies,
  principal: Principal,
  { agentId: named, sessionId, projectId, teamId, orgId, tiers, rank = 'relevance', ...question }: RouterSearchInput,
): Promise<RouterSearchOutput> {
  const agentId = ownAgent(principal, named);
  const { userId, tenantId: companyId } = principal;
  const identifiers: Identifiers = { userId, companyId, agentId, sessionId, projectId, teamId, orgId };
  const layers = accessibleLayers(identifiers).filter((layer) => tiers?.includes(tierOf(layer)) ?? true);
  const found = await search(dependencies, principal, { ...question, rank, identifiers, layers });
  return { ...found, results: found.results.map((result) => ({ ...result, tier: tierOf(result.layer) })) };
}
